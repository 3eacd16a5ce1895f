#ifndef CC_PNG_LAYOUT_H
#define CC_PNG_LAYOUT_H

#include "png_writer.h"

/// How pixels are stored: as they are, or as indexes or gray levels of fewer bits, which stand for exactly
/// the same pixels.
typedef struct cc_png_layout {
    int color_type;
    int bit_depth;
    /// The values to store, one a byte; NULL where the pixels are stored as they are.
    uint8_t *values;
    png_color colors[256];
    png_byte alphas[256];
    int color_count;
    /// The first colours, which have alpha.
    int alpha_count;
} cc_png_layout;

/// Chooses the smallest layout for pixels of 8 bits a channel; with `keeps_channels` that of the pixels.
///
/// The file read back has the channels of the pixels. To be cleared with `cc_png_layout_clear`.
void cc_png_layout_choose(cc_png_layout *layout, const cc_pixels *pixels, int keeps_channels);

void cc_png_layout_clear(cc_png_layout *layout);

/// The rows that are stored of pixels.
cc_pixels cc_png_layout_pixels(const cc_png_layout *layout, const cc_pixels *pixels);

/// How rows are filtered, and what zlib is told of them.
typedef struct cc_png_filtering {
    int filters;
    int strategy;
} cc_png_filtering;

/// Whether neighbours are often the same, so that it is worth while to try out filterings.
int cc_png_is_flat(const cc_pixels *pixels);

/// Rows from all parts of a picture, for trials; NULL pixels where there is no memory for them. The caller
/// calls
/// `free`.
cc_pixels cc_png_sample(const cc_pixels *pixels);

#endif
