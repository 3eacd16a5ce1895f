#ifdef CALOTYPE_HEIC

#include "avif_failure.h"
#include "avif_pixels.h"
#include "cc_hevc.h"
#include "cc_internal.h"
#include "heif_picture.h"
#include "hevc_decoder.h"

#include <stdlib.h>

struct cc_hevc_reader {
    de265_decoder_context *decoder;
    cc_hevc_setup setup;
    /// The picture decoded last; the decoder's memory.
    const struct de265_image *image;
};

cc_status cc_hevc_open(const cc_hevc_setup *setup, cc_hevc_reader **result, cc_message *message) {
    *result = NULL;
    cc_hevc_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    reader->setup = *setup;
    reader->decoder = cc_hevc_decoder_make();
    if (reader->decoder == NULL) {
        free(reader);
        cc_write_message(message, "not enough memory for a decoder");
        return cc_status_out_of_memory;
    }
    cc_heif_picture_use(reader->decoder);
    *result = reader;
    return cc_status_ok;
}

void cc_hevc_close(cc_hevc_reader *reader) {
    if (reader == NULL) return;
    de265_free_decoder(reader->decoder);
    free(reader);
}

// MARK: - Decoding

cc_status cc_hevc_push(cc_hevc_reader *reader, cc_bytes unit, cc_message *message) {
    // The header of a unit; libde265 would read beyond a shorter one.
    if (unit.count < 2) return cc_status_ok;
    if (unit.count > INT32_MAX) return cc_status_limit_exceeded;
    reader->image = NULL;
    de265_error error = de265_push_NAL(reader->decoder, unit.start, (int)unit.count, 0, NULL);
    if (error == DE265_OK) return cc_status_ok;
    cc_write_message(message, "libde265 rejects a unit");
    return cc_status_corrupt;
}

/// Returns the error of a picture; NULL for the expected one.
static const char *check(const cc_hevc_reader *reader, const struct de265_image *image) {
    if (de265_peek_next_picture(reader->decoder) != NULL) return "a sample has two pictures";
    if (de265_get_image_width(image, 0) != (int)reader->setup.width) return "a picture has another width";
    if (de265_get_image_height(image, 0) != (int)reader->setup.height) return "a picture has another height";
    return NULL;
}

cc_status cc_hevc_decode(cc_hevc_reader *reader, cc_message *message) {
    cc_heif_picture_prepare(reader->decoder);
    // Outputs pending pictures at once: one sample, one picture.
    de265_push_end_of_frame(reader->decoder);
    const char *reason;
    const struct de265_image *image = cc_hevc_decoder_run(reader->decoder, &reason);
    if (image != NULL) reason = check(reader, image);
    if (reason != NULL) {
        cc_write_message(message, "%s", reason);
        return cc_status_corrupt;
    }
    reader->image = image;
    return cc_status_ok;
}

// MARK: - Pixels

static cc_status unsupported(cc_message *message, const char *text) {
    cc_write_message(message, "%s", text);
    return cc_status_unsupported;
}

static avifPixelFormat pixel_format(const struct de265_image *image) {
    switch (de265_get_chroma_format(image)) {
    case de265_chroma_420: return AVIF_PIXEL_FORMAT_YUV420;
    case de265_chroma_422: return AVIF_PIXEL_FORMAT_YUV422;
    case de265_chroma_444: return AVIF_PIXEL_FORMAT_YUV444;
    default: return AVIF_PIXEL_FORMAT_YUV400;
    }
}

/// Wraps the picture as one of libavif, without copying its planes.
static void show(const struct de265_image *from, const cc_hevc_codes *codes, avifImage *image) {
    image->colorPrimaries = (avifColorPrimaries)de265_get_image_colour_primaries(from);
    int is_full = codes->are_stated ? codes->is_full_range : de265_get_image_full_range_flag(from);
    image->yuvRange = is_full ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED;
    image->matrixCoefficients = (avifMatrixCoefficients)(
        codes->are_stated ? (int)codes->matrix : de265_get_image_matrix_coefficients(from));
    for (int i = 0; i < (image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? 1 : 3); i++) {
        int stride = 0;
        // libavif only reads through this pointer.
        image->yuvPlanes[i] = (uint8_t *)(uintptr_t)de265_get_image_plane(from, i, &stride);
        image->yuvRowBytes[i] = (uint32_t)stride;
    }
}

static cc_status write_colors(
    const struct de265_image *from, const cc_hevc_codes *codes, uint32_t bytes_per_pixel, cc_rows rows,
    cc_message *message) {
    int depth = de265_get_bits_per_pixel(from, 0);
    avifPixelFormat format = pixel_format(from);
    int is_gray = format == AVIF_PIXEL_FORMAT_YUV400;
    if (bytes_per_pixel == 1 && !is_gray) {
        cc_write_message(message, "the image has colours, the track says gray");
        return cc_status_corrupt;
    }
    if (depth != 8 && depth != 10 && depth != 12) return unsupported(message, "neither 8, 10 nor 12 bits");
    if (!is_gray && de265_get_bits_per_pixel(from, 1) != depth) {
        return unsupported(message, "chroma of another depth than luma");
    }
    avifImage *image = avifImageCreate(
        (uint32_t)de265_get_image_width(from, 0), (uint32_t)de265_get_image_height(from, 0), (uint32_t)depth,
        format);
    if (image == NULL) return cc_status_out_of_memory;
    show(from, codes, image);
    avifResult result = cc_avif_write_rows(image, bytes_per_pixel, rows);
    avifImageDestroy(image);
    static const avifDiagnostics none;
    return cc_avif_status(result, &none, message);
}

/// Writes the luma, in its whole range, as alpha.
static void write_alpha(const struct de265_image *from, cc_rows rows) {
    int stride = 0, width = de265_get_image_width(from, 0), depth = de265_get_bits_per_pixel(from, 0);
    const uint8_t *plane = de265_get_image_plane(from, 0, &stride);
    int range = (1 << depth) - 1;
    for (uint32_t y = 0; y < rows.row_count; y++) {
        const uint8_t *source = plane + (size_t)y * (size_t)stride;
        uint8_t *target = rows.bytes + (size_t)y * rows.row_byte_count + 3;
        for (int x = 0; x < width; x++) {
            int level = depth > 8 ? ((const uint16_t *)(const void *)source)[x] : source[x];
            target[4 * x] = (uint8_t)((level * 255 + range / 2) / range);
        }
    }
}

cc_status cc_hevc_write(
    const cc_hevc_reader *reader, const cc_hevc_reader *alpha, const cc_hevc_codes *codes,
    uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows, cc_message *message) {
    uint32_t width = reader->setup.width;
    size_t row_byte_count = (size_t)width * bytes_per_pixel;
    int is_ready = reader->image != NULL && (alpha == NULL || alpha->image != NULL);
    int fits = rows.row_count == reader->setup.height && rows.row_byte_count == row_byte_count;
    if (alpha != NULL) {
        fits = fits && bytes_per_pixel == 4 && alpha->setup.width == width &&
               alpha->setup.height == reader->setup.height;
    }
    if (!is_ready || !fits) {
        cc_write_message(message, "the decoder has no image of this size");
        return cc_status_failure;
    }
    cc_status status = write_colors(reader->image, codes, bytes_per_pixel, rows, message);
    if (status != cc_status_ok) return status;
    if (alpha != NULL) write_alpha(alpha->image, rows);
    for (uint32_t y = 0; color != NULL && y < rows.row_count; y++) {
        uint8_t *row = rows.bytes + (size_t)y * rows.row_byte_count;
        cc_color_apply(color, row, row, width);
    }
    return cc_status_ok;
}

#endif
