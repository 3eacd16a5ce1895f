#ifndef CC_RESAMPLE_H
#define CC_RESAMPLE_H

#include "cc_types.h"

/// The part of a side that its pixels cover, in pixels; up to one less than their number if the last extends
/// beyond the edge, as after a decode at a fraction.
typedef struct cc_extent {
    double width;
    double height;
} cc_extent;

/// Reduces an image with Lanczos 3: each pixel of the result is the mean of those within three of its own
/// widths, weighted by the kernel, and for colours by alpha too.
///
/// The area of `extent` becomes the result, which has `width` pixels in a row, and the rows and format of
/// `target` and `source`; no side is longer than before, and none is 0. Beyond the edge the outermost pixels
/// are repeated. Alpha of 0 results in transparent black.
///
/// `in_linear_light` mixes the light of the colours by the transfer curve of sRGB; otherwise their levels are
/// mixed.
cc_status cc_resample(
    const cc_pixels *source, cc_extent extent, uint32_t width, cc_rows target, int32_t in_linear_light);

#endif
