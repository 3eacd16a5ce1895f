#include "coded_color.h"

#include <lcms2.h>
#include <stdlib.h>

typedef struct chromaticities {
    uint32_t code;
    cmsCIExyY white;
    cmsCIExyYTRIPLE primaries;
} chromaticities;

/// H.273 table 2, without the codes that stand for BT.709 or come from film.
static const chromaticities known[] = {
    {4, {0.310, 0.316, 1}, {{0.67, 0.33, 1}, {0.21, 0.71, 1}, {0.14, 0.08, 1}}},
    {5, {0.3127, 0.3290, 1}, {{0.64, 0.33, 1}, {0.29, 0.60, 1}, {0.15, 0.06, 1}}},
    {6, {0.3127, 0.3290, 1}, {{0.630, 0.340, 1}, {0.310, 0.595, 1}, {0.155, 0.070, 1}}},
    {7, {0.3127, 0.3290, 1}, {{0.630, 0.340, 1}, {0.310, 0.595, 1}, {0.155, 0.070, 1}}},
    {9, {0.3127, 0.3290, 1}, {{0.708, 0.292, 1}, {0.170, 0.797, 1}, {0.131, 0.046, 1}}},
    {11, {0.314, 0.351, 1}, {{0.680, 0.320, 1}, {0.265, 0.690, 1}, {0.150, 0.060, 1}}},
    {12, {0.3127, 0.3290, 1}, {{0.680, 0.320, 1}, {0.265, 0.690, 1}, {0.150, 0.060, 1}}},
};

static const chromaticities srgb = {
    1, {0.3127, 0.3290, 1}, {{0.64, 0.33, 1}, {0.30, 0.60, 1}, {0.15, 0.06, 1}}};

static const chromaticities *find_primaries(uint32_t code) {
    if (code == 1 || code == 2) return &srgb;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code == code) return &known[i];
    }
    return NULL;
}

/// H.273 table 3. The camera curves of video (BT.709, BT.601, BT.2020) are shown as that of sRGB.
static cmsToneCurve *make_curve(uint32_t transfer) {
    cmsFloat64Number parameters[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    switch (transfer) {
    case 1:
    case 2:
    case 6:
    case 13:
    case 14:
    case 15: return cmsBuildParametricToneCurve(NULL, 4, parameters);
    case 4: return cmsBuildGamma(NULL, 2.2);
    case 5: return cmsBuildGamma(NULL, 2.8);
    case 8: return cmsBuildGamma(NULL, 1);
    default: return NULL;
    }
}

static int is_shown_as_srgb(uint32_t primaries, uint32_t transfer) {
    int is_video = transfer == 1 || transfer == 2 || transfer == 6 || (transfer >= 13 && transfer <= 15);
    return (primaries == 1 || primaries == 2) && is_video;
}

static cc_output save(cmsHPROFILE profile) {
    cc_output output = {NULL, 0};
    cmsUInt32Number count = 0;
    if (!cmsSaveProfileToMem(profile, NULL, &count)) return output;
    uint8_t *bytes = malloc(count);
    if (bytes == NULL) return output;
    if (!cmsSaveProfileToMem(profile, bytes, &count)) {
        free(bytes);
        return output;
    }
    return (cc_output){bytes, count};
}

cc_output cc_coded_color_profile(uint32_t primaries, uint32_t transfer) {
    cc_output output = {NULL, 0};
    if (is_shown_as_srgb(primaries, transfer)) return output;
    const chromaticities *colors = find_primaries(primaries);
    cmsToneCurve *curve = colors == NULL ? NULL : make_curve(transfer);
    if (curve == NULL) return output;
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&colors->white, &colors->primaries, curves);
    cmsFreeToneCurve(curve);
    if (profile == NULL) return output;
    output = save(profile);
    cmsCloseProfile(profile);
    return output;
}
