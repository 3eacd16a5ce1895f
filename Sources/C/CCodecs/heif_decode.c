#ifdef CALOTYPE_HEIC

#include "cc_heif.h"
#include "cc_internal.h"
#include "coded_color.h"
#include "heif_failure.h"

#include <stdlib.h>
#include <string.h>

struct cc_heif_reader {
    struct heif_context *context;
    struct heif_image_handle *handle;
    cc_heif_header header;
    /// The ICC profile, or the one for coded colours.
    cc_output profile;
    /// The file for libheif, if it differs from the caller's.
    cc_output copy;
};

// MARK: - File

#if LIBHEIF_HAVE_VERSION(1, 20, 0)
static uint64_t big_endian(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
}

/// Returns the offset of the movie box's type; 0 without one.
static size_t tracks_position(cc_bytes file) {
    size_t start = 0;
    while (file.count - start >= 16) {
        const uint8_t *box = file.start + start;
        if (memcmp(box + 4, "moov", 4) == 0) return start + 4;
        uint64_t size = big_endian(box, 4);
        if (size == 1) size = big_endian(box + 8, 8);
        // Extends to the end of the file, or is not a box.
        if (size < 8 || size > file.count - start) return 0;
        start += (size_t)size;
    }
    return 0;
}

/// Hides tracks from libheif, which from 1.20 on parses them and rejects a still image for errors in them:
/// replaces them by free space.
static cc_status hide_tracks(cc_heif_reader *reader, cc_bytes *file) {
    size_t position = tracks_position(*file);
    if (position == 0) return cc_status_ok;
    uint8_t *bytes = malloc(file->count);
    if (bytes == NULL) return cc_status_out_of_memory;
    memcpy(bytes, file->start, file->count);
    memcpy(bytes + position, "free", 4);
    reader->copy = (cc_output){bytes, file->count};
    *file = (cc_bytes){bytes, file->count};
    return cc_status_ok;
}
#else
static cc_status hide_tracks(cc_heif_reader *reader, cc_bytes *file) {
    (void)reader, (void)file;
    return cc_status_ok;
}
#endif

// MARK: - Header

static void read_icc_profile(cc_heif_reader *reader) {
    size_t count = heif_image_handle_get_raw_color_profile_size(reader->handle);
    uint8_t *bytes = count == 0 ? NULL : malloc(count);
    if (bytes == NULL) return;
    if (heif_image_handle_get_raw_color_profile(reader->handle, bytes).code != heif_error_Ok) {
        free(bytes);
        return;
    }
    reader->profile = (cc_output){bytes, count};
    reader->header.has_profile = 1;
}

static void read_profile(cc_heif_reader *reader) {
    read_icc_profile(reader);
    reader->header.transfer = heif_transfer_characteristic_unspecified;
    reader->header.primaries = heif_color_primaries_unspecified;
    struct heif_color_profile_nclx *codes = NULL;
    if (!reader->header.has_profile) heif_image_handle_get_nclx_color_profile(reader->handle, &codes);
    if (codes != NULL) {
        reader->header.transfer = codes->transfer_characteristics;
        reader->header.primaries = codes->color_primaries;
        reader->profile = cc_coded_color_profile(codes->color_primaries, codes->transfer_characteristics);
        heif_nclx_color_profile_free(codes);
    }
    reader->header.profile = (cc_bytes){reader->profile.bytes, reader->profile.count};
}

static cc_status parse(cc_heif_reader *reader, cc_bytes file, uint32_t side_max, cc_message *message) {
    reader->context = heif_context_alloc();
    if (reader->context == NULL) return cc_status_out_of_memory;
    // Tiles are decoded one after another, on this thread.
    heif_context_set_max_decoding_threads(reader->context, 0);
    heif_context_set_maximum_image_size_limit(reader->context, (int)side_max);
    cc_status status = hide_tracks(reader, &file);
    if (status != cc_status_ok) return status;
    status = cc_heif_status(
        heif_context_read_from_memory_without_copy(reader->context, file.start, file.count, NULL), message);
    if (status != cc_status_ok) return status;
    status = cc_heif_status(
        heif_context_get_primary_image_handle(reader->context, &reader->handle), message);
    if (status != cc_status_ok) return status;
    int width = heif_image_handle_get_width(reader->handle);
    int height = heif_image_handle_get_height(reader->handle);
    reader->header.width = width < 0 ? 0 : (uint32_t)width;
    reader->header.height = height < 0 ? 0 : (uint32_t)height;
    reader->header.has_alpha = heif_image_handle_has_alpha_channel(reader->handle) != 0;
    int bit_depth = heif_image_handle_get_luma_bits_per_pixel(reader->handle);
    reader->header.bit_depth = bit_depth < 0 ? 8 : (uint32_t)bit_depth;
    read_profile(reader);
    return cc_status_ok;
}

cc_status cc_heif_open(
    cc_bytes file, uint32_t side_max, cc_heif_reader **result, cc_heif_header *header, cc_message *message) {
    *result = NULL;
    cc_heif_start();
    cc_heif_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    cc_status status = parse(reader, file, side_max, message);
    if (status != cc_status_ok) {
        cc_heif_close(reader);
        return status;
    }
    *header = reader->header;
    *result = reader;
    return cc_status_ok;
}

void cc_heif_close(cc_heif_reader *reader) {
    if (reader == NULL) return;
    if (reader->handle != NULL) heif_image_handle_release(reader->handle);
    if (reader->context != NULL) heif_context_free(reader->context);
    free(reader->profile.bytes);
    free(reader->copy.bytes);
    free(reader);
}

// MARK: - Pixels

/// A plane of libheif, and its conversion to levels 0...255.
typedef struct plane {
    const uint8_t *bytes;
    size_t row_byte_count;
    int is_wide;
    int black;
    int range;
} plane;

/// Finds a plane of the image's size; fails without one.
static int open_plane(
    const struct heif_image *image, enum heif_channel channel, uint32_t width, uint32_t height,
    plane *found) {
    if (!heif_image_has_channel(image, channel)) return 0;
    if (heif_image_get_width(image, channel) != (int)width) return 0;
    if (heif_image_get_height(image, channel) != (int)height) return 0;
    int stride = 0;
    int bits = heif_image_get_bits_per_pixel_range(image, channel);
    if (bits < 1 || bits > 16) return 0;
    // The range of samples and their size in memory are stated separately.
    if (heif_image_get_bits_per_pixel(image, channel) != (bits > 8 ? 16 : 8)) return 0;
    found->bytes = heif_image_get_plane_readonly(image, channel, &stride);
    if (found->bytes == NULL || stride < (int)(width * (bits > 8 ? 2 : 1))) return 0;
    found->row_byte_count = (size_t)stride;
    found->is_wide = bits > 8;
    found->black = 0;
    found->range = (1 << bits) - 1;
    return 1;
}

/// Sets the narrow range of video for the luma of a gray image.
static void narrow(plane *luma) {
    int scale = (luma->range + 1) / 256;
    luma->black = 16 * scale;
    luma->range = 219 * scale;
}

/// Writes the levels of a plane to every `step`th byte of the rows.
static void copy_plane(const plane *source, cc_rows rows, uint32_t width, uint32_t step, uint32_t offset) {
    for (uint32_t y = 0; y < rows.row_count; y++) {
        const uint8_t *row = source->bytes + y * source->row_byte_count;
        uint8_t *target = rows.bytes + y * rows.row_byte_count + offset;
        for (uint32_t x = 0; x < width; x++, target += step) {
            int level = source->is_wide ? ((const uint16_t *)(const void *)row)[x] : row[x];
            level -= source->black;
            level = level < 0 ? 0 : level > source->range ? source->range : level;
            *target = (uint8_t)((level * 255 + source->range / 2) / source->range);
        }
    }
}

/// Writes the levels of a plane to a channel of 16 bits of the rows; NULL means the highest level.
static void copy_deep_plane(const plane *source, cc_rows rows, uint32_t width, uint32_t channel) {
    for (uint32_t y = 0; y < rows.row_count; y++) {
        const uint8_t *row = source == NULL ? NULL : source->bytes + y * source->row_byte_count;
        uint16_t *target = (uint16_t *)(void *)(rows.bytes + y * rows.row_byte_count) + channel;
        for (uint32_t x = 0; x < width; x++, target += 4) {
            *target = 0xffff;
            if (row == NULL) continue;
            int level = source->is_wide ? ((const uint16_t *)(const void *)row)[x] : row[x];
            level -= source->black;
            level = level < 0 ? 0 : level > source->range ? source->range : level;
            uint32_t range = (uint32_t)source->range;
            *target = (uint16_t)(((uint32_t)level * 65535u + range / 2) / range);
        }
    }
}

/// Divides premultiplied colours of 16 bits by alpha.
static void unmultiply_deep(cc_rows rows, uint32_t width) {
    for (uint32_t y = 0; y < rows.row_count; y++) {
        uint16_t *pixel = (uint16_t *)(void *)(rows.bytes + y * rows.row_byte_count);
        for (uint32_t x = 0; x < width; x++, pixel += 4) {
            uint64_t alpha = pixel[3];
            for (int channel = 0; channel < 3 && alpha > 0; channel++) {
                uint64_t level = (pixel[channel] * (uint64_t)65535 + alpha / 2) / alpha;
                pixel[channel] = (uint16_t)(level > 65535 ? 65535 : level);
            }
        }
    }
}

/// Divides premultiplied colours by alpha.
static void unmultiply(cc_rows rows, uint32_t width) {
    for (uint32_t y = 0; y < rows.row_count; y++) {
        uint8_t *pixel = rows.bytes + y * rows.row_byte_count;
        for (uint32_t x = 0; x < width; x++, pixel += 4) {
            int alpha = pixel[3];
            for (int channel = 0; channel < 3 && alpha > 0; channel++) {
                int level = (pixel[channel] * 255 + alpha / 2) / alpha;
                pixel[channel] = (uint8_t)(level > 255 ? 255 : level);
            }
        }
    }
}

static int is_narrow(const struct heif_image *image) {
    struct heif_color_profile_nclx *codes = NULL;
    if (heif_image_get_nclx_color_profile(image, &codes).code != heif_error_Ok || codes == NULL) return 0;
    int result = !codes->full_range_flag;
    heif_nclx_color_profile_free(codes);
    return result;
}

/// Returns whether the three planes of RGB are identical: libheif converts gray tiles of a grid to RGB.
static int is_gray_as_rgb(const struct heif_image *image, uint32_t width, uint32_t height) {
    plane planes[3];
    for (int i = 0; i < 3; i++) {
        if (!open_plane(image, heif_channel_R + (uint32_t)i, width, height, &planes[i])) return 0;
        if (planes[i].is_wide != planes[0].is_wide) return 0;
    }
    size_t row_byte_count = (size_t)width * (planes[0].is_wide ? 2 : 1);
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *first = planes[0].bytes + y * planes[0].row_byte_count;
        for (int i = 1; i < 3; i++) {
            if (memcmp(first, planes[i].bytes + y * planes[i].row_byte_count, row_byte_count) != 0) return 0;
        }
    }
    return 1;
}

/// Copies planes as RGBA of 16 bits; gray is copied to all colours.
static int copy_deep_planes(const struct heif_image *image, uint32_t width, int has_alpha, cc_rows rows) {
    int is_gray = heif_image_get_colorspace(image) == heif_colorspace_monochrome;
    if (!is_gray && heif_image_get_colorspace(image) != heif_colorspace_RGB) return 0;
    for (uint32_t i = 0; i < 3; i++) {
        plane color;
        enum heif_channel channel = is_gray ? heif_channel_Y : heif_channel_R + i;
        if (!open_plane(image, channel, width, rows.row_count, &color)) return 0;
        if (is_gray && is_narrow(image)) narrow(&color);
        copy_deep_plane(&color, rows, width, i);
    }
    plane alpha;
    if (has_alpha && !open_plane(image, heif_channel_Alpha, width, rows.row_count, &alpha)) return 0;
    copy_deep_plane(has_alpha ? &alpha : NULL, rows, width, 3);
    int is_multiplied = heif_image_is_premultiplied_alpha((struct heif_image *)(uintptr_t)image);
    if (has_alpha && is_multiplied) unmultiply_deep(rows, width);
    return 1;
}

/// Copies the planes of libheif, RGB or gray in the depth of the file.
static int copy_planes(
    const struct heif_image *image, uint32_t width, uint32_t bytes_per_pixel, cc_rows rows) {
    uint32_t height = rows.row_count;
    uint32_t color_count = bytes_per_pixel == 1 ? 1 : 3;
    int is_gray = heif_image_get_colorspace(image) == heif_colorspace_monochrome;
    if (!is_gray && heif_image_get_colorspace(image) != heif_colorspace_RGB) return 0;
    if (!is_gray && bytes_per_pixel == 1 && !is_gray_as_rgb(image, width, height)) return 0;
    for (uint32_t i = 0; i < color_count; i++) {
        plane color;
        enum heif_channel channel = is_gray ? heif_channel_Y : heif_channel_R + i;
        if (!open_plane(image, channel, width, height, &color)) return 0;
        if (is_gray && is_narrow(image)) narrow(&color);
        copy_plane(&color, rows, width, bytes_per_pixel, i);
    }
    if (bytes_per_pixel < 4) return 1;
    plane alpha;
    if (!open_plane(image, heif_channel_Alpha, width, height, &alpha)) return 0;
    copy_plane(&alpha, rows, width, 4, 3);
    if (heif_image_is_premultiplied_alpha((struct heif_image *)(uintptr_t)image)) unmultiply(rows, width);
    return 1;
}

/// Returns whether a warning only concerns different colours in the box and the stream: the box is used.
static int is_harmless(struct heif_error warning) {
#if LIBHEIF_HAVE_VERSION(1, 23, 0)
    return warning.subcode == heif_suberror_NCLX_colr_VUI_mismatch;
#else
    (void)warning;
    return 0;
#endif
}

static cc_status check_warnings(struct heif_image *image, cc_message *message) {
    struct heif_error warning;
    for (int i = 0; heif_image_get_decoding_warnings(image, i, &warning, 1) > 0; i++) {
        if (is_harmless(warning)) continue;
        cc_write_message(message, "%s", warning.message == NULL ? "damaged" : warning.message);
        return cc_status_corrupt;
    }
    return cc_status_ok;
}

/// Gray is decoded as such; colours as RGB, the default of libheif 1.15.
static void choose_colors(
    const struct heif_image_handle *handle, enum heif_colorspace *space, enum heif_chroma *chroma) {
    *space = heif_colorspace_undefined;
    *chroma = heif_chroma_undefined;
#if LIBHEIF_HAVE_VERSION(1, 17, 0)
    struct heif_error error = heif_image_handle_get_preferred_decoding_colorspace(handle, space, chroma);
    int is_gray = error.code == heif_error_Ok && *space == heif_colorspace_monochrome;
    *space = is_gray ? heif_colorspace_undefined : heif_colorspace_RGB;
    *chroma = is_gray ? heif_chroma_undefined : heif_chroma_444;
#else
    (void)handle;
#endif
}

static cc_status decode(cc_heif_reader *reader, struct heif_image **image, cc_message *message) {
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (options == NULL) return cc_status_out_of_memory;
    options->strict_decoding = 1;
#if LIBHEIF_HAVE_VERSION(1, 23, 0)
    // Colours are converted by this module.
    options->output_image_nclx_profile_passthrough = 1;
#endif
    enum heif_colorspace space;
    enum heif_chroma chroma;
    choose_colors(reader->handle, &space, &chroma);
    struct heif_error error = heif_decode_image(reader->handle, image, space, chroma, options);
    heif_decoding_options_free(options);
    cc_status status = cc_heif_status(error, message);
    return status == cc_status_ok ? check_warnings(*image, message) : status;
}

cc_status cc_heif_decode(
    cc_heif_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows,
    cc_message *message) {
    uint32_t width = reader->header.width;
    if (rows.row_count != reader->header.height || rows.row_byte_count != (size_t)width * bytes_per_pixel) {
        cc_write_message(message, "the buffer size does not match the image");
        return cc_status_failure;
    }
    struct heif_image *image = NULL;
    cc_status status = decode(reader, &image, message);
    int is_copied = status == cc_status_ok
        && (bytes_per_pixel == 8 ? copy_deep_planes(image, width, reader->header.has_alpha, rows)
                                 : copy_planes(image, width, bytes_per_pixel, rows));
    if (status == cc_status_ok && !is_copied) {
        cc_write_message(message, "the decoded planes are not those that the header names");
        status = cc_status_corrupt;
    }
    if (image != NULL) heif_image_release(image);
    for (uint32_t y = 0; status == cc_status_ok && color != NULL && y < rows.row_count; y++) {
        uint8_t *row = rows.bytes + y * rows.row_byte_count;
        cc_color_apply(color, row, row, width);
    }
    return status;
}

#endif
