#ifndef CC_PNG_LAYOUT_H
#define CC_PNG_LAYOUT_H

#include "png_writer.h"

/// The storage of pixels: unchanged, or as indices or gray levels of fewer bits that represent exactly the
/// same pixels.
typedef struct cc_png_layout {
    int color_type;
    int bit_depth;
    /// The values to store, one a byte; NULL to store the pixels unchanged.
    uint8_t *values;
    png_color colors[256];
    png_byte alphas[256];
    int color_count;
    /// The number of colours with alpha, which come first.
    int alpha_count;
} cc_png_layout;

/// Selects the smallest layout for pixels of 8 bits a channel; with `keeps_channels` that of the pixels.
///
/// Decoding the file returns the channels of the pixels. Free the layout with `cc_png_layout_clear`.
void cc_png_layout_choose(cc_png_layout *layout, const cc_pixels *pixels, int keeps_channels);

void cc_png_layout_clear(cc_png_layout *layout);

/// Returns the stored rows of pixels.
cc_pixels cc_png_layout_pixels(const cc_png_layout *layout, const cc_pixels *pixels);

/// The filters of rows, and the settings of zlib.
typedef struct cc_png_filtering {
    int filters;
    int strategy;
} cc_png_filtering;

/// Returns whether neighbours are often equal, so that trying filterings is worthwhile.
int cc_png_is_flat(const cc_pixels *pixels);

/// Returns rows from all parts of an image, for trials; NULL pixels for lack of memory. The caller calls
/// `free`.
cc_pixels cc_png_sample(const cc_pixels *pixels);

#endif
