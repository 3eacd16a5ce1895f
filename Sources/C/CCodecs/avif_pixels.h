#ifndef CC_AVIF_PIXELS_H
#define CC_AVIF_PIXELS_H

#include "cc_types.h"
#include <avif/avif.h>

/// Writes planes as rows of gray (one byte a pixel, for planes without chroma), RGB or RGBA, 8 bits a channel
/// with rounding. The rows have the size of the image.
avifResult cc_avif_write_rows(const avifImage *image, uint32_t bytes_per_pixel, cc_rows rows);

#endif
