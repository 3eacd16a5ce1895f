#ifndef CC_RESAMPLE_H
#define CC_RESAMPLE_H

#include "cc_types.h"

/// Makes a picture smaller with Lanczos 3: each pixel of the result is the mean of those that lie within
/// three of its own widths, weighed by the kernel, and colours are weighed by their alpha too.
///
/// The result has `width` pixels in a row, and the rows and format of `target` and `source`; neither side is
/// longer than before, and none is 0. Beyond the edge the outermost pixels go on. Alpha of 0 is transparent
/// black.
cc_status cc_resample(const cc_pixels *source, uint32_t width, cc_rows target);

#endif
