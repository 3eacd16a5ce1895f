#ifdef CALOTYPE_HEIC

#include "cc_heif.h"
#include "cc_internal.h"
#include "heif_failure.h"

#include <avif/avif.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: - Planes

static void copy_rows(
    const uint8_t *source, size_t source_step, size_t source_row, uint8_t *target, size_t target_row,
    uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            target[y * target_row + x] = source[y * source_row + x * source_step];
        }
    }
}

/// Adds a plane to an image and fills it with every `step`th byte of the source.
static cc_status add_plane(
    struct heif_image *image, enum heif_channel channel, const uint8_t *source, size_t step,
    size_t source_row, uint32_t width, uint32_t height, cc_message *message) {
    cc_status status =
        cc_heif_status(heif_image_add_plane(image, channel, (int)width, (int)height, 8), message);
    if (status != cc_status_ok) return status;
    int stride = 0;
    uint8_t *target = heif_image_get_plane(image, channel, &stride);
    if (target == NULL) return cc_status_out_of_memory;
    copy_rows(source, step, source_row, target, (size_t)stride, width, height);
    return cc_status_ok;
}

/// Adds the channels of the pixels as planes: gray, or RGB in the order G, B, R of the identity matrix.
static cc_status add_channels(struct heif_image *image, const cc_pixels *pixels, cc_message *message) {
    static const enum heif_channel names[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    static const uint32_t green_blue_red[] = {1, 2, 0};
    uint32_t step = pixels->bytes_per_pixel;
    for (uint32_t i = 0; i < (step == 1 ? 1u : 3u); i++) {
        const uint8_t *source = pixels->bytes + (step == 1 ? 0 : green_blue_red[i]);
        cc_status status = add_plane(
            image, names[i], source, step, (size_t)pixels->width * step, pixels->width, pixels->height,
            message);
        if (status != cc_status_ok) return status;
    }
    return cc_status_ok;
}

static avifResult convert(avifImage *converted, const cc_pixels *pixels) {
    avifRGBImage source;
    converted->yuvRange = AVIF_RANGE_FULL;
    converted->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    avifRGBImageSetDefaults(&source, converted);
    source.format = pixels->bytes_per_pixel == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    source.ignoreAlpha = AVIF_TRUE;
    // libavif only reads through this pointer.
    source.pixels = (uint8_t *)(uintptr_t)pixels->bytes;
    source.rowBytes = pixels->width * pixels->bytes_per_pixel;
    return avifImageRGBToYUV(converted, &source);
}

/// Adds colours in 4:2:0, converted by libavif with rounding and averaging.
static cc_status add_chroma_halved(struct heif_image *image, const cc_pixels *pixels, cc_message *message) {
    static const enum heif_channel names[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    avifImage *converted = avifImageCreate(pixels->width, pixels->height, 8, AVIF_PIXEL_FORMAT_YUV420);
    if (converted == NULL) return cc_status_out_of_memory;
    cc_status status =
        convert(converted, pixels) == AVIF_RESULT_OK ? cc_status_ok : cc_status_out_of_memory;
    for (int i = 0; i < 3 && status == cc_status_ok; i++) {
        uint32_t width = i == 0 ? pixels->width : (pixels->width + 1) / 2;
        uint32_t height = i == 0 ? pixels->height : (pixels->height + 1) / 2;
        status = add_plane(
            image, names[i], converted->yuvPlanes[i], 1, converted->yuvRowBytes[i], width, height, message);
    }
    avifImageDestroy(converted);
    return status;
}

static cc_status fill(
    struct heif_image *image, const cc_pixels *pixels, int is_plain, cc_message *message) {
    cc_status status =
        is_plain ? add_channels(image, pixels, message) : add_chroma_halved(image, pixels, message);
    if (status != cc_status_ok || pixels->bytes_per_pixel < 4) return status;
    return add_plane(
        image, heif_channel_Alpha, pixels->bytes + 3, 4, (size_t)pixels->width * 4, pixels->width,
        pixels->height, message);
}

// MARK: - Encoding

typedef struct parts {
    struct heif_context *context;
    struct heif_encoder *encoder;
    struct heif_image *image;
    struct heif_color_profile_nclx *codes;
    struct heif_encoding_options *options;
} parts;

static void release(parts *parts) {
    if (parts->options != NULL) heif_encoding_options_free(parts->options);
    if (parts->codes != NULL) heif_nclx_color_profile_free(parts->codes);
    if (parts->image != NULL) heif_image_release(parts->image);
    if (parts->encoder != NULL) heif_encoder_release(parts->encoder);
    if (parts->context != NULL) heif_context_free(parts->context);
}

/// Configures one thread, and no output to standard error. An encoder other than x265 has other names for
/// some settings, so rejected ones are ignored.
static cc_status set_up(
    struct heif_encoder *encoder, const cc_heif_encoding *encoding, int is_plain, cc_message *message) {
    heif_encoder_set_logging_level(encoder, 0);
    // libheif's own default, slow, takes three times as long for files that are 2 % smaller.
    heif_encoder_set_parameter_string(encoder, "preset", "fast");
    heif_encoder_set_parameter_string(encoder, "x265:pools", "none");
    heif_encoder_set_parameter_string(encoder, "x265:frame-threads", "1");
    heif_encoder_set_parameter_string(encoder, "chroma", is_plain ? "444" : "420");
    if (encoding->is_lossless) return cc_heif_status(heif_encoder_set_lossless(encoder, 1), message);
    return cc_heif_status(heif_encoder_set_lossy_quality(encoder, encoding->quality), message);
}

static cc_status make_parts(
    parts *parts, const cc_pixels *pixels, const cc_heif_encoding *encoding, cc_message *message) {
    int is_gray = pixels->bytes_per_pixel == 1;
    int is_plain = is_gray || encoding->is_lossless;
    parts->context = heif_context_alloc();
    parts->codes = heif_nclx_color_profile_alloc();
    parts->options = heif_encoding_options_alloc();
    if (parts->context == NULL || parts->codes == NULL || parts->options == NULL) {
        return cc_status_out_of_memory;
    }
    cc_status status = cc_heif_status(
        heif_context_get_encoder_for_format(parts->context, heif_compression_HEVC, &parts->encoder), message);
    if (status != cc_status_ok) return cc_status_unsupported;
    status = set_up(parts->encoder, encoding, is_plain && !is_gray, message);
    if (status != cc_status_ok) return status;
    struct heif_error error = heif_image_create(
        (int)pixels->width, (int)pixels->height,
        is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
        is_gray ? heif_chroma_monochrome : is_plain ? heif_chroma_444 : heif_chroma_420, &parts->image);
    status = cc_heif_status(error, message);
    return status == cc_status_ok ? fill(parts->image, pixels, is_plain, message) : status;
}

/// sRGB, full range; RGB without conversion for lossless.
static void name_colors(const parts *parts, const cc_pixels *pixels, const cc_heif_encoding *encoding) {
    int is_rgb = encoding->is_lossless && pixels->bytes_per_pixel > 1;
    parts->codes->color_primaries = heif_color_primaries_ITU_R_BT_709_5;
    parts->codes->transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1;
    parts->codes->matrix_coefficients =
        is_rgb ? heif_matrix_coefficients_RGB_GBR : heif_matrix_coefficients_ITU_R_BT_601_6;
    parts->codes->full_range_flag = 1;
    heif_image_set_nclx_color_profile(parts->image, parts->codes);
    parts->options->output_nclx_profile = parts->codes;
    // Otherwise the colours would not be written, and readers would misinterpret the planes.
    parts->options->macOS_compatibility_workaround_no_nclx_profile = 0;
}

/// `heif_writer`'s function: copies the file.
static struct heif_error take_bytes(
    struct heif_context *context, const void *bytes, size_t count, void *userdata) {
    (void)context;
    cc_output *output = userdata;
    output->bytes = malloc(count == 0 ? 1 : count);
    if (output->bytes == NULL) {
        return (struct heif_error){
            heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
    }
    memcpy(output->bytes, bytes, count);
    output->count = count;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, "ok"};
}

static cc_status write_file(
    const parts *parts, uint64_t byte_count_max, cc_output *output, cc_message *message) {
    struct heif_writer writer = {1, take_bytes};
    cc_status status = cc_heif_status(heif_context_write(parts->context, &writer, output), message);
    if (status == cc_status_ok && output->count > byte_count_max) {
        cc_write_message(message, "the result is too large");
        status = cc_status_limit_exceeded;
    }
    if (status != cc_status_ok) {
        free(output->bytes);
        *output = (cc_output){NULL, 0};
    }
    return status;
}

static cc_status encode(
    const cc_pixels *pixels, const cc_heif_encoding *encoding, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    parts parts = {NULL, NULL, NULL, NULL, NULL};
    cc_status status = make_parts(&parts, pixels, encoding, message);
    if (status == cc_status_ok) {
        name_colors(&parts, pixels, encoding);
        struct heif_error error =
            heif_context_encode_image(parts.context, parts.image, parts.encoder, parts.options, NULL);
        status = cc_heif_status(error, message);
    }
    if (status == cc_status_ok) status = write_file(&parts, encoding->byte_count_max, output, message);
    release(&parts);
    return status;
}

/// x265 fills a table of functions when its first encoder is opened, and checks only its first entry to see
/// whether it is filled; so two threads must not do that at once.
static void fill_tables(void) {
    static const uint8_t black = 0;
    const cc_pixels pixels = {&black, 1, 1, 1};
    const cc_heif_encoding encoding = {50, 0, UINT64_MAX};
    cc_output output;
    cc_message message;
    if (encode(&pixels, &encoding, &output, &message) == cc_status_ok) free(output.bytes);
}

cc_status cc_heif_encode(
    const cc_pixels *pixels, const cc_heif_encoding *encoding, cc_output *output, cc_message *message) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cc_heif_start();
    pthread_once(&once, fill_tables);
    return encode(pixels, encoding, output, message);
}

#endif
