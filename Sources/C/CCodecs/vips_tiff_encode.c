#ifdef CALOTYPE_VIPS

#include "cc_internal.h"
#include "cc_tiff.h"
#include "coded_color.h"
#include "vips_calls.h"
#include "vips_internal.h"

#include <stdlib.h>
#include <string.h>

static VipsForeignTiffCompression compression_of(cc_tiff_compression compression) {
    switch (compression) {
    case cc_tiff_compression_none: return VIPS_FOREIGN_TIFF_COMPRESSION_NONE;
    case cc_tiff_compression_lzw: return VIPS_FOREIGN_TIFF_COMPRESSION_LZW;
    case cc_tiff_compression_deflate: return VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE;
    case cc_tiff_compression_jpeg: return VIPS_FOREIGN_TIFF_COMPRESSION_JPEG;
    }
    return VIPS_FOREIGN_TIFF_COMPRESSION_NONE;
}

/// Converts RGBA of half floats to single floats, which TIFF and libvips support; owned by the caller.
static float *widen(const cc_pixels *pixels) {
    size_t count = (size_t)pixels->width * pixels->height * 4;
    float *wide = malloc(count * sizeof *wide);
    const uint16_t *halves = (const uint16_t *)(const void *)pixels->bytes;
    for (size_t i = 0; wide != NULL && i < count; i++) wide[i] = cc_single_of(halves[i]);
    return wide;
}

static VipsImage *open_deep_pixels(const cc_pixels *pixels, const float *wide) {
    size_t count = (size_t)pixels->width * pixels->height * 4;
    if (pixels->is_float && wide == NULL) return NULL;
    VipsImage *image = vips_image_new_from_memory(
        pixels->is_float ? (const void *)wide : pixels->bytes, count * (pixels->is_float ? sizeof *wide : 2),
        (int)pixels->width, (int)pixels->height, 4,
        pixels->is_float ? VIPS_FORMAT_FLOAT : VIPS_FORMAT_USHORT);
    if (image == NULL) return NULL;
    image->Type = pixels->is_float ? VIPS_INTERPRETATION_scRGB : VIPS_INTERPRETATION_RGB16;
    return image;
}

/// Sets the profile of colours other than sRGB; returns whether there is one.
static int set_profile(VipsImage *image, const cc_pixels *pixels) {
    cc_output coded = {NULL, 0};
    cc_bytes profile = pixels->profile;
    if (profile.start == NULL && pixels->primaries > 0) {
        coded = cc_coded_color_profile(pixels->primaries, pixels->transfer);
        profile = (cc_bytes){coded.bytes, coded.count};
    }
    if (profile.start != NULL) {
        vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile.start, profile.count);
    }
    free(coded.bytes);
    return profile.start != NULL;
}

static VipsImage *open_pixels(const cc_pixels *pixels, const float *wide) {
    if (pixels->bytes_per_pixel == 8) return open_deep_pixels(pixels, wide);
    size_t byte_count = (size_t)pixels->width * pixels->height * pixels->bytes_per_pixel;
    VipsImage *image = vips_image_new_from_memory(
        pixels->bytes, byte_count, (int)pixels->width, (int)pixels->height, (int)pixels->bytes_per_pixel,
        VIPS_FORMAT_UCHAR);
    if (image == NULL) return NULL;
    image->Type = pixels->bytes_per_pixel == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    return image;
}

/// JPEG in TIFF has no alpha that readers agree on.
static int flatten(const cc_tiff_encoding *encoding, VipsImage **image) {
    if (encoding->compression != cc_tiff_compression_jpeg || vips_image_get_bands(*image) != 4) return 0;
    const uint8_t *color = encoding->background;
    VipsArrayDouble *background =
        vips_array_double_newv(3, (double)color[0], (double)color[1], (double)color[2]);
    VipsImage *opaque = NULL;
    int failed = vips_flatten(*image, &opaque, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    if (failed) return -1;
    g_object_unref(*image);
    *image = opaque;
    return 0;
}

/// The bytes are owned by GLib.
static int save(const cc_pixels *pixels, const cc_tiff_encoding *encoding, void **bytes, size_t *count) {
    float *wide = pixels->is_float ? widen(pixels) : NULL;
    VipsImage *image = open_pixels(pixels, wide);
    if (image == NULL) {
        free(wide);
        return -1;
    }
    int has_profile = set_profile(image, pixels);
    int failed = flatten(encoding, &image) != 0
        || vips_tiffsave_buffer(
               image, bytes, count, "compression", compression_of(encoding->compression), "Q",
               encoding->quality, "predictor",
               pixels->is_float ? VIPS_FOREIGN_TIFF_PREDICTOR_FLOAT : VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL,
               // Otherwise the profile would be omitted too; there is no other metadata.
               "strip", has_profile ? FALSE : TRUE, NULL);
    g_object_unref(image);
    free(wide);
    return failed ? -1 : 0;
}

static cc_status copy_output(const void *bytes, size_t count, uint64_t limit, cc_output *output) {
    if (count > limit) return cc_status_limit_exceeded;
    output->bytes = malloc(count);
    if (output->bytes == NULL) return cc_status_out_of_memory;
    memcpy(output->bytes, bytes, count);
    output->count = count;
    return cc_status_ok;
}

cc_status cc_tiff_encode(
    const cc_pixels *pixels, const cc_tiff_encoding *encoding, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    cc_status status = cc_status_failure;
    void *bytes = NULL;
    size_t count = 0;
    if (cc_vips_start() && save(pixels, encoding, &bytes, &count) == 0) {
        status = copy_output(bytes, count, encoding->byte_count_max, output);
        g_free(bytes);
    } else {
        cc_vips_take_message(message);
    }
    if (cc_vips_is_ready()) vips_thread_shutdown();
    return status;
}

#endif
