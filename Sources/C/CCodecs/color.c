#include "cc_color.h"
#include "color_profile.h"
#include "color_transform.h"

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

/// One byte of each pixel, three skipped: a gray profile for pixels stored as RGBA.
#define TYPE_GRAY_IN_RGBA_8 (COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1))
#define TYPE_GRAY_IN_RGBA_16 (COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(2))
#define TYPE_GRAY_IN_RGBA_HALF (FLOAT_SH(1) | TYPE_GRAY_IN_RGBA_16)

static cmsUInt32Number source_type(cc_channels channels, cmsColorSpaceSignature space) {
    switch (channels) {
    case cc_channels_gray:
        if (space == cmsSigRgbData) return TYPE_RGB_8;
        return space == cmsSigGrayData ? TYPE_GRAY_8 : 0;
    case cc_channels_rgb: return space == cmsSigRgbData ? TYPE_RGB_8 : 0;
    case cc_channels_rgba:
        if (space == cmsSigGrayData) return TYPE_GRAY_IN_RGBA_8;
        return space == cmsSigRgbData ? TYPE_RGBA_8 : 0;
    case cc_channels_cmyk: return space == cmsSigCmykData ? TYPE_CMYK_8 : 0;
    case cc_channels_cmyk_inverted: return space == cmsSigCmykData ? TYPE_CMYK_8_REV : 0;
    case cc_channels_rgba16:
        if (space == cmsSigGrayData) return TYPE_GRAY_IN_RGBA_16;
        return space == cmsSigRgbData ? TYPE_RGBA_16 : 0;
    case cc_channels_rgba_half:
        if (space == cmsSigGrayData) return TYPE_GRAY_IN_RGBA_HALF;
        return space == cmsSigRgbData ? TYPE_RGBA_HALF_FLT : 0;
    }
    return 0;
}

static cmsUInt32Number target_type(cc_channels channels) {
    switch (channels) {
    case cc_channels_gray: return TYPE_GRAY_8;
    case cc_channels_rgba: return TYPE_RGBA_8;
    case cc_channels_rgba16: return TYPE_RGBA_16;
    case cc_channels_rgba_half: return TYPE_RGBA_HALF_FLT;
    default: return TYPE_RGB_8;
    }
}

/// Opens sRGB, or for gray pixels a gray profile with the tone curve of sRGB, so that gray stays one channel.
static cmsHPROFILE open_target(cmsContext context, cc_channels channels) {
    if (channels != cc_channels_gray) return cmsCreate_sRGBProfileTHR(context);
    cmsFloat64Number parameters[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *curve = cmsBuildParametricToneCurve(context, 4, parameters);
    if (curve == NULL) return NULL;
    cmsHPROFILE gray = cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
    cmsFreeToneCurve(curve);
    return gray;
}

/// Like browsers, applies the profile to each gray as a colour; the luma of the result stays one channel.
static void map_levels(cc_color_transform *color) {
    uint8_t pixels[256 * 3];
    for (int i = 0; i < 256; i++) memset(pixels + i * 3, i, 3);
    cmsDoTransform(color->transform, pixels, pixels, 256);
    for (int i = 0; i < 256; i++) {
        const uint8_t *pixel = pixels + i * 3;
        color->levels[i] = (uint8_t)((pixel[0] * 299 + pixel[1] * 587 + pixel[2] * 114 + 500) / 1000);
    }
    color->maps_levels = 1;
}

static void open_transform(cc_color_transform *color, cc_bytes profile) {
    cmsContext context = color->context;
    cmsHPROFILE source = cmsOpenProfileFromMemTHR(context, profile.start, (cmsUInt32Number)profile.count);
    if (source == NULL) return;
    cmsUInt32Number type = source_type(color->channels, cmsGetColorSpace(source));
    int maps_levels = color->channels == cc_channels_gray && type == TYPE_RGB_8;
    cc_channels channels = maps_levels ? cc_channels_rgb : color->channels;
    cmsHPROFILE target = type == 0 ? NULL : open_target(context, channels);
    if (target != NULL) {
        color->transform = cmsCreateTransformTHR(
            context, source, type, target, target_type(channels), INTENT_PERCEPTUAL, 0);
        cmsCloseProfile(target);
    }
    cmsCloseProfile(source);
    if (maps_levels && color->transform != NULL) map_levels(color);
}

static int differs_by_more_than_one(const uint8_t *left, const uint8_t *right, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (abs(left[i] - right[i]) > 1) return 1;
    }
    return 0;
}

/// Returns whether colours from the whole cube are unchanged.
static int is_identity(const cc_color_transform *color) {
    enum { steps = 9, pixel_bytes_max = 4 };
    static const uint8_t bytes_per_pixel[] = {1, 3, 4, 0, 0, 0, 0};
    size_t size = bytes_per_pixel[color->channels];
    if (size == 0) return 0;
    uint8_t before[steps * steps * steps * pixel_bytes_max], after[sizeof before];
    size_t used = 0;
    for (int i = 0; i < steps * steps * steps; i++) {
        int red = i % steps, green = i / steps % steps, blue = i / (steps * steps);
        uint8_t pixel[] = {
            (uint8_t)(red * 255 / 8), (uint8_t)(green * 255 / 8), (uint8_t)(blue * 255 / 8), 255};
        memcpy(before + used, pixel, size);
        used += size;
    }
    memcpy(after, before, used);
    cc_color_apply(color, before, after, (uint32_t)(used / size));
    return !differs_by_more_than_one(before, after, used);
}

/// Creates the transform of a profile that is reduced to the supported tags.
static void open_reduced(cc_color_transform *color, cc_bytes profile) {
    uint8_t *reduced = malloc(profile.count);
    if (reduced != NULL && cc_profile_reduce(profile, reduced)) {
        cc_bytes bytes = {reduced, profile.count};
        open_transform(color, bytes);
    }
    free(reduced);
}

static int is_deep(cc_channels channels) {
    return channels == cc_channels_rgba16 || channels == cc_channels_rgba_half;
}

/// Determines at 8 bits whether conversion is needed, for all depths alike.
static int is_needed(cc_bytes profile, cc_channels channels) {
    if (!is_deep(channels)) return 1;
    cc_color_transform *color = cc_color_make(profile, cc_channels_rgba);
    cc_color_free(color);
    return color != NULL;
}

cc_color_transform *cc_color_make(cc_bytes profile, cc_channels channels) {
    if (!is_needed(profile, channels)) return NULL;
    cc_color_transform *color = calloc(1, sizeof *color);
    if (color == NULL) return NULL;
    color->channels = channels;
    color->context = cmsCreateContext(NULL, NULL);
    if (color->context != NULL) open_reduced(color, profile);
    if (color->transform != NULL && !is_identity(color)) return color;
    cc_color_free(color);
    return NULL;
}

void cc_color_free(cc_color_transform *color) {
    if (color == NULL) return;
    if (color->transform != NULL) cmsDeleteTransform(color->transform);
    if (color->context != NULL) cmsDeleteContext(color->context);
    free(color);
}

void cc_color_apply(
    const cc_color_transform *color, const uint8_t *source, uint8_t *target, uint32_t pixel_count) {
    if (color->maps_levels) {
        for (uint32_t i = 0; i < pixel_count; i++) target[i] = color->levels[source[i]];
        return;
    }
    cmsDoTransform(color->transform, source, target, pixel_count);
}
