#ifdef CALOTYPE_HEIC

#include "heif_plugin.h"
#include "heif_picture.h"
#include "hevc_decoder.h"

#include <libde265/de265.h>
#include <libheif/heif.h>
#include <libheif/heif_plugin.h>
#include <stdlib.h>
#include <string.h>

static struct heif_error success(void) {
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, "ok"};
}

static struct heif_error failure(enum heif_suberror_code code, const char *text) {
    return (struct heif_error){heif_error_Decoder_plugin_error, code, text};
}

static const char *name(void) {
    return "libde265, strict";
}

/// Higher than that of libheif's own decoder, 100.
static int priority(enum heif_compression_format format) {
    return format == heif_compression_HEVC ? 500 : 0;
}

static struct heif_error open_decoder(void **result) {
    de265_decoder_context *decoder = cc_hevc_decoder_make();
    if (decoder == NULL) {
        return (struct heif_error){
            heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
    }
    cc_heif_picture_use(decoder);
    *result = decoder;
    return success();
}

static void close_decoder(void *decoder) {
    de265_free_decoder(decoder);
}

/// Pushes units, each preceded by its length of four bytes.
static struct heif_error push(void *decoder, const void *data, size_t byte_count) {
    const uint8_t *bytes = data;
    while (byte_count >= 4) {
        size_t count = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
        bytes += 4;
        byte_count -= 4;
        if (count > byte_count) return failure(heif_suberror_End_of_data, "a unit goes on beyond the end");
        if (de265_push_NAL(decoder, bytes, (int)count, 0, NULL) != DE265_OK) {
            return failure(heif_suberror_Unspecified, "libde265 rejects a unit");
        }
        bytes += count;
        byte_count -= count;
    }
    return byte_count == 0 ? success() : failure(heif_suberror_End_of_data, "a unit has no length");
}

static struct heif_error copy_plane(
    const struct de265_image *from, int index, struct heif_image *to, enum heif_channel channel) {
    int width = de265_get_image_width(from, index), height = de265_get_image_height(from, index);
    int bits = de265_get_bits_per_pixel(from, index);
    struct heif_error error = heif_image_add_plane(to, channel, width, height, bits);
    if (error.code != heif_error_Ok) return error;
    int source_stride = 0, target_stride = 0;
    const uint8_t *source = de265_get_image_plane(from, index, &source_stride);
    uint8_t *target = heif_image_get_plane(to, channel, &target_stride);
    size_t byte_count = (size_t)width * (bits > 8 ? 2 : 1);
    if (source == NULL || target == NULL) return failure(heif_suberror_Unspecified, "a plane is missing");
    for (int y = 0; y < height; y++) {
        memcpy(
            target + (size_t)y * (size_t)target_stride, source + (size_t)y * (size_t)source_stride,
            byte_count);
    }
    return error;
}

/// Copies the stream's colour description, over which a `colr` box of the file takes precedence.
static void name_colors(const struct de265_image *from, struct heif_image *to) {
    struct heif_color_profile_nclx *codes = heif_nclx_color_profile_alloc();
    if (codes == NULL) return;
    codes->full_range_flag = de265_get_image_full_range_flag(from) != 0;
    heif_nclx_color_profile_set_color_primaries(codes, (uint16_t)de265_get_image_colour_primaries(from));
    heif_nclx_color_profile_set_transfer_characteristics(
        codes, (uint16_t)de265_get_image_transfer_characteristics(from));
    heif_nclx_color_profile_set_matrix_coefficients(
        codes, (uint16_t)de265_get_image_matrix_coefficients(from));
    heif_image_set_nclx_color_profile(to, codes);
    heif_nclx_color_profile_free(codes);
}

static struct heif_error decode(void *decoder, struct heif_image **result) {
    static const enum heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const char *reason;
    de265_flush_data(decoder);
    const struct de265_image *image = cc_hevc_decoder_run(decoder, &reason);
    if (image == NULL) return failure(heif_suberror_Unspecified, reason);
    enum de265_chroma chroma = de265_get_chroma_format(image);
    int is_gray = chroma == de265_chroma_mono;
    struct heif_image *made = NULL;
    struct heif_error error = heif_image_create(
        de265_get_image_width(image, 0), de265_get_image_height(image, 0),
        is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, (enum heif_chroma)chroma, &made);
    for (int i = 0; i < (is_gray ? 1 : 3) && error.code == heif_error_Ok; i++) {
        error = copy_plane(image, i, made, channels[i]);
    }
    if (error.code != heif_error_Ok) {
        if (made != NULL) heif_image_release(made);
        return error;
    }
    name_colors(image, made);
    *result = made;
    return error;
}

/// Always strict.
static void set_strictness(void *decoder, int is_strict) {
    (void)decoder;
    (void)is_strict;
}

// The interface of libheif 1.21, which requires it of plugins. A decoder has one picture here too.
#if LIBHEIF_HAVE_VERSION(1, 21, 0)
#define HAS_FIFTH_INTERFACE 1

static int format_priority(const struct heif_decoder_plugin_compressed_format_description *format) {
    return priority(format->format);
}

static struct heif_error open_with_options(void **result, const struct heif_decoder_plugin_options *options) {
    (void)options;
    return open_decoder(result);
}

static struct heif_error push_named(void *decoder, const void *data, size_t byte_count, uintptr_t name) {
    (void)name;
    return push(decoder, data, byte_count);
}

/// `decode` does it.
static struct heif_error flush(void *decoder) {
    (void)decoder;
    return success();
}

static struct heif_error decode_within(
    void *decoder, struct heif_image **result, uintptr_t *name, const struct heif_security_limits *limits) {
    // The limits were checked before libheif read the file.
    (void)limits;
    if (name != NULL) *name = 0;
    return decode(decoder, result);
}
#else
#define HAS_FIFTH_INTERFACE 0
#endif

void cc_heif_plugin_register(void) {
    static const struct heif_decoder_plugin plugin = {
        .plugin_api_version = HAS_FIFTH_INTERFACE ? 5 : 3,
        .get_plugin_name = name,
        .does_support_format = priority,
        .new_decoder = open_decoder,
        .free_decoder = close_decoder,
        .push_data = push,
        .decode_image = decode,
        .set_strict_decoding = set_strictness,
        .id_name = "calotype",
#if HAS_FIFTH_INTERFACE
        .minimum_required_libheif_version = LIBHEIF_MAKE_VERSION(1, 21, 0),
        .does_support_format2 = format_priority,
        .new_decoder2 = open_with_options,
        .push_data2 = push_named,
        .flush_data = flush,
        .decode_next_image2 = decode_within,
#endif
    };
    heif_register_decoder_plugin(&plugin);
}

#endif
