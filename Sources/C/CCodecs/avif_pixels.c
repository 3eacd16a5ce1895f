#ifdef CALOTYPE_AVIF

#include "avif_pixels.h"

static int sample(const avifImage *image, const uint8_t *row, uint32_t x) {
    return image->depth > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

/// Writes gray as one channel: the luma, scaled from its range and depth to 0...255 with rounding.
static void write_gray(const avifImage *image, cc_rows rows) {
    int scale = 1 << (image->depth - 8);
    int black = image->yuvRange == AVIF_RANGE_FULL ? 0 : 16 * scale;
    int white = image->yuvRange == AVIF_RANGE_FULL ? 256 * scale - 1 : 235 * scale;
    int range = white - black;
    for (uint32_t y = 0; y < rows.row_count; y++) {
        const uint8_t *source = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)y * image->yuvRowBytes[AVIF_CHAN_Y];
        uint8_t *target = rows.bytes + (size_t)y * rows.row_byte_count;
        for (uint32_t x = 0; x < image->width; x++) {
            int level = sample(image, source, x);
            level = level < black ? black : level > white ? white : level;
            target[x] = (uint8_t)(((level - black) * 255 + range / 2) / range);
        }
    }
}

static avifResult write_colors(const avifImage *image, uint32_t bytes_per_pixel, cc_rows rows) {
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, image);
    pixels.depth = bytes_per_pixel == 8 ? 16 : 8;
    pixels.format = bytes_per_pixel >= 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    // libyuv truncates to eight bits, while libavif itself rounds.
    pixels.avoidLibYUV = image->depth > 8;
    pixels.pixels = rows.bytes;
    pixels.rowBytes = (uint32_t)rows.row_byte_count;
    return avifImageYUVToRGB(image, &pixels);
}

avifResult cc_avif_write_rows(const avifImage *image, uint32_t bytes_per_pixel, cc_rows rows) {
    if (bytes_per_pixel > 1) return write_colors(image, bytes_per_pixel, rows);
    write_gray(image, rows);
    return AVIF_RESULT_OK;
}

#endif
