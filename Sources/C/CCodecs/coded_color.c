#include "coded_color.h"
#include "cc_color.h"
#include "profile_file.h"

#include <lcms2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct chromaticities {
    uint32_t code;
    cmsCIExyY white;
    cmsCIExyYTRIPLE primaries;
} chromaticities;

/// H.273 table 2, without the codes for BT.709 or for film.
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

/// Luminance in cd/m²: the brightest that is distinguished, and white on a standard screen (BT.2408).
static const double source_peak = 1000, target_peak = 203;

/// Returns the level of PQ for a luminance in cd/m² (SMPTE ST 2084).
static double pq_level(double luminance) {
    double y = pow(luminance / 10000, 2610.0 / 16384);
    return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 2523.0 / 32);
}

/// Returns the luminance in cd/m² for a level of PQ (SMPTE ST 2084).
static double pq_luminance(double level) {
    double power = pow(level, 32 / 2523.0);
    double above = power > 0.8359375 ? power - 0.8359375 : 0;
    return 10000 * pow(above / (18.8515625 - 18.6875 * power), 16384 / 2610.0);
}

/// Returns the level of PQ that a screen with the peak of the source shows for a level of HLG (BT.2100 table
/// 5), for each channel separately.
static double pq_level_of_hlg(double level) {
    double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
    double scene = level <= 0.5 ? level * level / 3 : (exp((level - c) / a) + b) / 12;
    return pq_level(source_peak * pow(scene, 1.2));
}

/// Maps a level of PQ to a screen of the lower peak, without black lift (BT.2390 section 5.4.1).
static double lowered(double level) {
    double source = pq_level(source_peak), peak = pq_level(target_peak) / source;
    double knee = 1.5 * peak - 0.5, e = level / source;
    if (e > 1) e = 1;
    if (e > knee) {
        double t = (e - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
        e = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * peak;
    }
    return e * source;
}

/// Maps levels of PQ or HLG to the linear light of a standard screen.
static cmsToneCurve *make_hdr_curve(int is_hlg) {
    enum { count = 4096 };
    cmsUInt16Number table[count];
    for (int i = 0; i < count; i++) {
        double level = i / (count - 1.0);
        double light = pq_luminance(lowered(is_hlg ? pq_level_of_hlg(level) : level)) / target_peak;
        table[i] = (cmsUInt16Number)(65535 * (light > 1 ? 1 : light) + 0.5);
    }
    return cmsBuildTabulatedToneCurve16(NULL, count, table);
}

/// Returns the curve of a code of H.273 table 3. The camera curves of video (BT.709, BT.601, BT.2020) are
/// treated as sRGB.
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
    case 16: return make_hdr_curve(0);
    case 18: return make_hdr_curve(1);
    default: return NULL;
    }
}

static int is_shown_as_srgb(uint32_t primaries, uint32_t transfer) {
    int is_video = transfer == 1 || transfer == 2 || transfer == 6 || (transfer >= 13 && transfer <= 15);
    return (primaries == 1 || primaries == 2) && is_video;
}

cc_output cc_profile_save(cmsHPROFILE profile) {
    cc_output output = {NULL, 0};
    cmsUInt32Number count = 0;
    if (!cmsSaveProfileToMem(profile, NULL, &count)) return output;
    uint8_t *bytes = malloc(count);
    if (bytes == NULL) return output;
    if (!cmsSaveProfileToMem(profile, bytes, &count)) {
        free(bytes);
        return output;
    }
    // A fixed date: otherwise the bytes of a profile would change each second.
    static const uint8_t date[] = {0x07, 0xd0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
    enum { date_offset = 24 };
    if (count >= date_offset + sizeof date) memcpy(bytes + date_offset, date, sizeof date);
    return (cc_output){bytes, count};
}

static cc_output make_profile(const chromaticities *colors, cmsToneCurve *curve) {
    cc_output output = {NULL, 0};
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&colors->white, &colors->primaries, curves);
    cmsFreeToneCurve(curve);
    if (profile == NULL) return output;
    output = cc_profile_save(profile);
    cmsCloseProfile(profile);
    return output;
}

cc_output cc_power_profile(double power) {
    cmsToneCurve *curve = cmsBuildGamma(NULL, power);
    return curve == NULL ? (cc_output){NULL, 0} : make_profile(&srgb, curve);
}

cc_output cc_coded_color_profile(uint32_t primaries, uint32_t transfer) {
    cc_output output = {NULL, 0};
    if (is_shown_as_srgb(primaries, transfer)) return output;
    const chromaticities *colors = find_primaries(primaries);
    cmsToneCurve *curve = colors == NULL ? NULL : make_curve(transfer);
    return curve == NULL ? output : make_profile(colors, curve);
}

cc_color_transform *cc_color_open_coded(uint32_t primaries, uint32_t transfer, cc_channels channels) {
    cc_output profile = cc_coded_color_profile(primaries, transfer);
    cc_color_transform *transform = cc_color_open((cc_bytes){profile.bytes, profile.count}, channels);
    free(profile.bytes);
    return transform;
}
