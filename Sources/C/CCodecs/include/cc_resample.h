#ifndef CC_RESAMPLE_H
#define CC_RESAMPLE_H

#include "cc_types.h"

/// How much of a side its pixels stand for, measured in them; up to one less than their number where the last
/// stands over the edge, as after a decode at a fraction.
typedef struct cc_extent {
    double width;
    double height;
} cc_extent;

/// Makes a picture smaller with Lanczos 3: each pixel of the result is the mean of those that lie within
/// three of its own widths, weighed by the kernel, and colours are weighed by their alpha too.
///
/// What `extent` covers becomes the result, which has `width` pixels in a row, and the rows and format of
/// `target` and `source`; neither side is longer than before, and none is 0. Beyond the edge the outermost
/// pixels go on. Alpha of 0 is transparent black.
cc_status cc_resample(const cc_pixels *source, cc_extent extent, uint32_t width, cc_rows target);

#endif
