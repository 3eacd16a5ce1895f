#include "cc_color.h"
#include "color_profile.h"
#include "profile_file.h"

#include <lcms2.h>
#include <math.h>
#include <stdlib.h>

/// The primaries in the profile connection space, and the tone curves; owned by the profile.
typedef struct description {
    const cmsCIEXYZ *primaries[3];
    cmsToneCurve *curves[3];
} description;

enum { byte_count_max = 8 << 10, level_count = 256 };

static const cmsTagSignature primary_tags[3] = {
    cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
static const cmsTagSignature curve_tags[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};

static int is_near(double left, double right, double tolerance) {
    return fabs(left - right) <= tolerance;
}

static int are_near(const cmsCIEXYZ *left, const cmsCIEXYZ *right, double tolerance) {
    return is_near(left->X, right->X, tolerance) && is_near(left->Y, right->Y, tolerance)
        && is_near(left->Z, right->Z, tolerance);
}

/// Returns whether the primaries sum to white, so that the highest levels are white, and span a space.
static int are_primaries(const cmsCIEXYZ *const p[3]) {
    cmsCIEXYZ sum = {
        p[0]->X + p[1]->X + p[2]->X, p[0]->Y + p[1]->Y + p[2]->Y, p[0]->Z + p[1]->Z + p[2]->Z};
    double volume = p[0]->X * (p[1]->Y * p[2]->Z - p[1]->Z * p[2]->Y)
        - p[1]->X * (p[0]->Y * p[2]->Z - p[0]->Z * p[2]->Y)
        + p[2]->X * (p[0]->Y * p[1]->Z - p[0]->Z * p[1]->Y);
    return are_near(&sum, cmsD50_XYZ(), 0.01) && fabs(volume) > 0.001;
}

/// Returns whether a curve rises from black to white.
static int is_rising(const cmsToneCurve *curve) {
    float last = cmsEvalToneCurveFloat(curve, 0);
    if (!is_near(last, 0, 0.02) || !is_near(cmsEvalToneCurveFloat(curve, 1), 1, 0.02)) return 0;
    for (int i = 1; i < level_count; i++) {
        float value = cmsEvalToneCurveFloat(curve, (float)i / (level_count - 1));
        if (!(value >= last)) return 0;
        last = value;
    }
    return 1;
}

static int describe(cmsHPROFILE profile, description *colors) {
    if (cmsGetColorSpace(profile) != cmsSigRgbData || cmsGetPCS(profile) != cmsSigXYZData) return 0;
    if (cmsIsTag(profile, cmsSigAToB0Tag) || cmsIsTag(profile, cmsSigAToB1Tag)) return 0;
    for (int i = 0; i < 3; i++) {
        colors->primaries[i] = cmsReadTag(profile, primary_tags[i]);
        colors->curves[i] = cmsReadTag(profile, curve_tags[i]);
        if (colors->primaries[i] == NULL || colors->curves[i] == NULL) return 0;
    }
    for (int i = 0; i < 3; i++) {
        if (!is_rising(colors->curves[i])) return 0;
    }
    return are_primaries(colors->primaries);
}

/// Returns whether the colours are those of Display P3 to about half a level.
static int is_p3(const description *colors) {
    static const cmsCIEXYZ primaries[3] = {
        {0.51512, 0.24120, -0.00105}, {0.29198, 0.69225, 0.04189}, {0.15710, 0.06657, 0.78407}};
    for (int channel = 0; channel < 3; channel++) {
        if (!are_near(colors->primaries[channel], &primaries[channel], 0.002)) return 0;
        for (int i = 0; i < level_count; i++) {
            double level = i / (level_count - 1.0);
            double light = level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4);
            if (!is_near(cmsEvalToneCurveFloat(colors->curves[channel], (float)level), light, 0.002)) {
                return 0;
            }
        }
    }
    return 1;
}

static int is_equal(const cmsToneCurve *left, const cmsToneCurve *right) {
    for (int i = 0; i < level_count; i++) {
        float level = (float)i / (level_count - 1);
        float difference = cmsEvalToneCurveFloat(left, level) - cmsEvalToneCurveFloat(right, level);
        if (!is_near(difference, 0, 1.0 / 65536)) return 0;
    }
    return 1;
}

static int write_text(cmsHPROFILE profile, cmsContext context, cmsTagSignature tag, const char *text) {
    cmsMLU *texts = cmsMLUalloc(context, 1);
    int is_written =
        texts != NULL && cmsMLUsetASCII(texts, "en", "US", text) && cmsWriteTag(profile, tag, texts);
    if (texts != NULL) cmsMLUfree(texts);
    return is_written;
}

static int write_tags(cmsHPROFILE profile, cmsContext context, const description *colors) {
    cmsSetProfileVersion(profile, 4.3);
    cmsSetDeviceClass(profile, cmsSigDisplayClass);
    cmsSetColorSpace(profile, cmsSigRgbData);
    cmsSetPCS(profile, cmsSigXYZData);
    cmsSetHeaderRenderingIntent(profile, INTENT_PERCEPTUAL);
    if (!write_text(profile, context, cmsSigProfileDescriptionTag, "RGB")) return 0;
    if (!write_text(profile, context, cmsSigCopyrightTag, "CC0")) return 0;
    if (!cmsWriteTag(profile, cmsSigMediaWhitePointTag, cmsD50_XYZ())) return 0;
    for (int i = 0; i < 3; i++) {
        if (!cmsWriteTag(profile, primary_tags[i], colors->primaries[i])) return 0;
        int is_first = i == 0 || !is_equal(colors->curves[0], colors->curves[i]);
        if (is_first && !cmsWriteTag(profile, curve_tags[i], colors->curves[i])) return 0;
        if (!is_first && !cmsLinkTag(profile, curve_tags[i], curve_tags[0])) return 0;
    }
    return 1;
}

static cc_output compact(cmsContext context, const description *colors) {
    cc_output output = {NULL, 0};
    cmsHPROFILE profile = cmsCreateProfilePlaceholder(context);
    if (profile == NULL) return output;
    if (write_tags(profile, context, colors)) output = cc_profile_save(profile);
    cmsCloseProfile(profile);
    if (output.count <= byte_count_max) return output;
    free(output.bytes);
    return (cc_output){NULL, 0};
}

static cc_output compact_in(cmsContext context, cc_bytes profile, int32_t *is_display_p3) {
    cc_output output = {NULL, 0};
    cmsHPROFILE source = cmsOpenProfileFromMemTHR(context, profile.start, (cmsUInt32Number)profile.count);
    if (source == NULL) return output;
    description colors;
    if (describe(source, &colors)) {
        *is_display_p3 = is_p3(&colors);
        if (!*is_display_p3) output = compact(context, &colors);
    }
    cmsCloseProfile(source);
    return output;
}

cc_output cc_color_compact(cc_bytes profile, int32_t *is_display_p3) {
    *is_display_p3 = 0;
    cc_output output = {NULL, 0};
    if (profile.start == NULL || profile.count == 0 || profile.count > profile_byte_count_max) return output;
    uint8_t *reduced = malloc(profile.count);
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (reduced != NULL && context != NULL && cc_profile_reduce(profile, reduced)) {
        output = compact_in(context, (cc_bytes){reduced, profile.count}, is_display_p3);
    }
    if (context != NULL) cmsDeleteContext(context);
    free(reduced);
    return output;
}
