#include "cc_internal.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <string.h>

const uint32_t cc_webp_side_max = WEBP_MAX_DIMENSION;

/// Checks the size: for a smaller bitstream the library would leave rows uninitialized.
static cc_status check_size(
    const cc_webp_bitstream *bitstream, WebPBitstreamFeatures *features, cc_message *message) {
    VP8StatusCode status = WebPGetFeatures(bitstream->bytes.start, bitstream->bytes.count, features);
    if (status != VP8_STATUS_OK) return cc_webp_decode_failure(status, message);
    if (features->width == (int)bitstream->width && features->height == (int)bitstream->height) {
        return cc_status_ok;
    }
    cc_write_message(
        message, "a bitstream of %d x %d pixels where one of %u x %u is announced", features->width,
        features->height, bitstream->width, bitstream->height);
    return cc_status_corrupt;
}

/// Decodes directly into the caller's rows, without a copy.
static cc_status decode(
    const cc_webp_bitstream *bitstream, const cc_webp_decoding *decoding, cc_rows rows, cc_message *message) {
    WebPDecoderConfig config;
    cc_status status = cc_webp_configure(&config, bitstream->width, bitstream->height, decoding, rows);
    if (status == cc_status_ok) status = check_size(bitstream, &config.input, message);
    if (status != cc_status_ok) return status;
    VP8StatusCode result = WebPDecode(bitstream->bytes.start, bitstream->bytes.count, &config);
    WebPFreeDecBuffer(&config.output);
    return cc_webp_decode_failure(result, message);
}

cc_status cc_webp_decode(
    const cc_webp_bitstream *bitstream, const cc_webp_decoding *decoding, cc_rows rows, cc_message *message) {
    cc_status status = decode(bitstream, decoding, rows, message);
    if (status != cc_status_ok || decoding->color == NULL) return status;
    for (uint32_t i = 0; i < rows.row_count; i++) {
        uint8_t *row = rows.bytes + i * rows.row_byte_count;
        cc_color_apply(decoding->color, row, row, decoding->width);
    }
    return cc_status_ok;
}

// MARK: - Animation

/// Composites a straight-alpha pixel over another, with rounding.
///
/// The formulas are a = s + d(1 − s) and ca = cs·s + cd·d(1 − s); both are computed in units of 1 / 255².
static void blend_pixel(const uint8_t *over, uint8_t *pixel) {
    uint32_t above = over[3] * 255u;
    if (above == 0) return;
    uint32_t below = pixel[3] * (255u - over[3]);
    if (below == 0) {
        memcpy(pixel, over, 4);
        return;
    }
    uint32_t both = above + below;
    for (int channel = 0; channel < 3; channel++) {
        pixel[channel] = (uint8_t)((over[channel] * above + pixel[channel] * below + both / 2) / both);
    }
    pixel[3] = (uint8_t)((both + 127) / 255);
}

static cc_rows part(cc_rows rows, const cc_webp_area *area, uint32_t bytes_per_pixel) {
    uint8_t *start = rows.bytes + area->y * rows.row_byte_count + (size_t)area->x * bytes_per_pixel;
    return (cc_rows){start, rows.row_byte_count, area->height};
}

static cc_status blend(
    const cc_webp_bitstream *bitstream, const cc_webp_decoding *decoding, cc_rows target,
    cc_message *message) {
    size_t row_byte_count = (size_t)decoding->width * 4;
    uint8_t *pixels = calloc(decoding->height, row_byte_count);
    if (pixels == NULL) return cc_status_out_of_memory;
    cc_rows rows = {pixels, row_byte_count, decoding->height};
    cc_status status = decode(bitstream, decoding, rows, message);
    for (uint32_t y = 0; status == cc_status_ok && y < decoding->height; y++) {
        const uint8_t *over = pixels + y * row_byte_count;
        uint8_t *row = target.bytes + y * target.row_byte_count;
        for (uint32_t x = 0; x < decoding->width; x++) blend_pixel(over + x * 4, row + x * 4);
    }
    free(pixels);
    return status;
}

/// Copies the previous canvas, without the area to clear.
static void start_canvas(const cc_webp_step *step, uint32_t bytes_per_pixel, cc_rows rows) {
    size_t byte_count = rows.row_byte_count * rows.row_count;
    if (step->before == NULL) {
        memset(rows.bytes, 0, byte_count);
        return;
    }
    memcpy(rows.bytes, step->before, byte_count);
    if (step->emptied.width == 0) return;
    cc_rows emptied = part(rows, &step->emptied, bytes_per_pixel);
    for (uint32_t y = 0; y < emptied.row_count; y++) {
        uint8_t *row = emptied.bytes + y * emptied.row_byte_count;
        memset(row, 0, (size_t)step->emptied.width * bytes_per_pixel);
    }
}

static int is_within(const cc_webp_area *area, uint32_t width, uint32_t height) {
    return (uint64_t)area->x + area->width <= width && (uint64_t)area->y + area->height <= height;
}

cc_status cc_webp_draw(
    const cc_webp_step *step, const cc_webp_decoding *canvas, cc_rows rows, cc_message *message) {
    const cc_webp_bitstream *bitstream = &step->bitstream;
    cc_webp_area area = {step->x, step->y, bitstream->width, bitstream->height};
    if (!is_within(&area, canvas->width, canvas->height)
        || !is_within(&step->emptied, canvas->width, canvas->height)) {
        cc_write_message(message, "a frame extends beyond the canvas");
        return cc_status_corrupt;
    }
    cc_webp_decoding decoding = {area.width, area.height, canvas->bytes_per_pixel, NULL};
    // An empty canvas needs no blending.
    int blends = step->blends && step->before != NULL;
    int is_covered = !blends && area.width == canvas->width && area.height == canvas->height;
    if (!is_covered) start_canvas(step, canvas->bytes_per_pixel, rows);
    cc_rows target = part(rows, &area, canvas->bytes_per_pixel);
    return blends ? blend(bitstream, &decoding, target, message)
                  : decode(bitstream, &decoding, target, message);
}
