#include "png_layout.h"

#include <stdlib.h>
#include <string.h>

// MARK: - Palette

enum {
    slot_count = 1024,
    color_count_max = 256,
    /// The maximum slots to probe for a colour. Ordinary colours need about a dozen; for adversarial ones
    /// each pixel would probe all.
    probe_count_max = 48
};

/// The colours found so far, by their hash.
typedef struct color_table {
    uint32_t colors[color_count_max];
    int count;
    /// A colour's index plus 1; 0 for none.
    uint16_t slots[slot_count];
} color_table;

static uint32_t color_at(const uint8_t *pixel, uint32_t bytes_per_pixel) {
    uint32_t alpha = bytes_per_pixel == 4 ? pixel[3] : 255;
    return alpha << 24 | (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

/// Returns the index of a colour; -1 if there are too many colours, or too many in its slots.
static int index_of(color_table *table, uint32_t color) {
    uint32_t slot = color * 0x9E3779B1u >> 22;
    for (int probe = 0; probe < probe_count_max; probe++) {
        if (table->slots[slot] == 0) {
            if (table->count == color_count_max) return -1;
            table->colors[table->count] = color;
            table->slots[slot] = (uint16_t)++table->count;
            return table->count - 1;
        }
        int index = table->slots[slot] - 1;
        if (table->colors[index] == color) return index;
        slot = (slot + 1) % slot_count;
    }
    return -1;
}

/// Writes the index of each pixel; 0 if there are too many colours, which photographs have within a few rows.
static int index_pixels(color_table *table, const cc_pixels *pixels, uint8_t *values) {
    size_t count = (size_t)pixels->width * pixels->height;
    const uint8_t *pixel = pixels->bytes;
    uint32_t last = ~color_at(pixel, pixels->bytes_per_pixel);
    int index = -1;
    for (size_t i = 0; i < count; i++, pixel += pixels->bytes_per_pixel) {
        uint32_t color = color_at(pixel, pixels->bytes_per_pixel);
        if (color != last) index = index_of(table, color);
        if (index < 0) return 0;
        last = color;
        values[i] = (uint8_t)index;
    }
    return 1;
}

/// Orders translucent colours first, so that few alphas are stored, then by levels, since neighbours in the
/// image are similar.
static int order(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int a_is_opaque = a >> 24 == 255, b_is_opaque = b >> 24 == 255;
    if (a_is_opaque != b_is_opaque) return a_is_opaque - b_is_opaque;
    return a < b ? -1 : a > b;
}

static void sort_colors(cc_png_layout *layout, const color_table *table, size_t value_count) {
    uint32_t sorted[color_count_max];
    uint8_t places[color_count_max];
    memcpy(sorted, table->colors, (size_t)table->count * sizeof *sorted);
    qsort(sorted, (size_t)table->count, sizeof *sorted, order);
    for (int i = 0; i < table->count; i++) {
        uint32_t *place = bsearch(&table->colors[i], sorted, (size_t)table->count, sizeof *sorted, order);
        places[i] = (uint8_t)(place - sorted);
    }
    for (size_t i = 0; i < value_count; i++) layout->values[i] = places[layout->values[i]];
    for (int i = 0; i < table->count; i++) {
        uint32_t color = sorted[i];
        layout->colors[i] = (png_color){(png_byte)(color >> 16), (png_byte)(color >> 8), (png_byte)color};
        layout->alphas[i] = (png_byte)(color >> 24);
        if (color >> 24 != 255) layout->alpha_count = i + 1;
    }
    layout->color_count = table->count;
}

static int bits_for(int count) {
    return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
}

static int is_smaller(const cc_pixels *pixels, int color_count) {
    // The size of a palette with its chunks, and of its indices.
    size_t count = (size_t)pixels->width * pixels->height;
    return count * pixels->bytes_per_pixel > 64 + (size_t)color_count * 8 + count;
}

static int use_palette(cc_png_layout *layout, const cc_pixels *pixels) {
    color_table *table = calloc(1, sizeof *table);
    int is_done = table != NULL && index_pixels(table, pixels, layout->values)
        && is_smaller(pixels, table->count);
    if (is_done) {
        sort_colors(layout, table, (size_t)pixels->width * pixels->height);
        layout->color_type = PNG_COLOR_TYPE_PALETTE;
        layout->bit_depth = bits_for(table->count);
        // Opaque pixels with alpha are decoded with alpha.
        if (pixels->bytes_per_pixel == 4 && layout->alpha_count == 0) layout->alpha_count = 1;
    }
    free(table);
    return is_done;
}

// MARK: - Gray

/// Returns the fewest bits that represent all levels of the pixels exactly: with `n` bits they are multiples
/// of 255 / (2ⁿ − 1).
static int gray_bits(const cc_pixels *pixels) {
    size_t count = (size_t)pixels->width * pixels->height;
    int bits = 1;
    for (size_t i = 0; i < count; i++) {
        uint8_t level = pixels->bytes[i];
        while (bits < 8 && level % (255 / ((1 << bits) - 1)) != 0) bits *= 2;
        if (bits == 8) break;
    }
    return bits;
}

static int use_fewer_bits(cc_png_layout *layout, const cc_pixels *pixels) {
    int bits = gray_bits(pixels);
    if (bits == 8) return 0;
    size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++) {
        layout->values[i] = (uint8_t)(pixels->bytes[i] / (255 / ((1 << bits) - 1)));
    }
    layout->bit_depth = bits;
    return 1;
}

// MARK: - Layout

static int color_type(uint32_t bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: return PNG_COLOR_TYPE_GRAY;
    case 3: return PNG_COLOR_TYPE_RGB;
    default: return PNG_COLOR_TYPE_RGBA;
    }
}

void cc_png_layout_choose(cc_png_layout *layout, const cc_pixels *pixels, int keeps_channels) {
    *layout = (cc_png_layout){.color_type = color_type(pixels->bytes_per_pixel)};
    int is_deep = pixels->bytes_per_pixel == 8;
    layout->bit_depth = is_deep ? 16 : 8;
    if (is_deep || keeps_channels) return;
    // For lack of memory the pixels are stored unchanged.
    layout->values = malloc((size_t)pixels->width * pixels->height);
    if (layout->values == NULL) return;
    int is_used = pixels->bytes_per_pixel == 1 ? use_fewer_bits(layout, pixels) : use_palette(layout, pixels);
    if (!is_used) cc_png_layout_clear(layout);
}

void cc_png_layout_clear(cc_png_layout *layout) {
    free(layout->values);
    layout->values = NULL;
}

cc_pixels cc_png_layout_pixels(const cc_png_layout *layout, const cc_pixels *pixels) {
    cc_pixels stored = *pixels;
    if (layout->values == NULL) return stored;
    stored.bytes = layout->values;
    stored.bytes_per_pixel = 1;
    return stored;
}

// MARK: - Samples

int cc_png_is_flat(const cc_pixels *pixels) {
    enum { row_step = 7, part = 4 };
    size_t size = pixels->bytes_per_pixel, row_byte_count = pixels->width * size;
    size_t equal = 0, count = 0;
    for (uint32_t y = 0; y < pixels->height; y += row_step) {
        const uint8_t *row = pixels->bytes + y * row_byte_count;
        for (size_t x = size; x < row_byte_count; x += size) {
            equal += memcmp(row + x, row + x - size, size) == 0;
        }
        count += pixels->width;
    }
    return equal > count / part;
}

cc_pixels cc_png_sample(const cc_pixels *pixels) {
    enum { band_count = 8, pixel_count_max = 1 << 17 };
    size_t row_byte_count = (size_t)pixels->width * pixels->bytes_per_pixel;
    size_t row_count = (size_t)pixel_count_max / pixels->width / band_count * band_count;
    cc_pixels sample = *pixels;
    sample.bytes = NULL;
    if (row_count < band_count) row_count = band_count;
    if (row_count > pixels->height) row_count = pixels->height;
    uint8_t *bytes = malloc(row_count * row_byte_count);
    if (bytes == NULL) return sample;
    size_t rows_of_band = row_count < band_count ? 1 : row_count / band_count;
    sample.height = 0;
    for (size_t band = 0; sample.height + rows_of_band <= row_count; band++) {
        size_t top = band * rows_of_band * pixels->height / row_count;
        if (top + rows_of_band > pixels->height) top = pixels->height - rows_of_band;
        memcpy(
            bytes + sample.height * row_byte_count, pixels->bytes + top * row_byte_count,
            rows_of_band * row_byte_count);
        sample.height += (uint32_t)rows_of_band;
    }
    sample.bytes = bytes;
    return sample;
}
