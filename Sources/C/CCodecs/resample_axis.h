#ifndef CC_RESAMPLE_AXIS_H
#define CC_RESAMPLE_AXIS_H

#include <stddef.h>
#include <stdint.h>

/// Which pixels of a side go into each pixel of the result, and how much they count.
typedef struct cc_axis {
    uint32_t source_count;
    uint32_t count;
    /// Pixels of the source, and parts of them, for each pixel of the result.
    double scale;
    /// Room for the weights of one pixel of the result.
    size_t stride;
    /// For each of them where its pixels start and end, and the weights of those, which add up to 1.
    uint32_t *starts;
    uint32_t *ends;
    float *weights;
} cc_axis;

/// Weighs `source_count` pixels for `count`, which is at least 1 and no more; 0 where there is no memory.
/// Given back with `cc_axis_close` in any case.
///
/// The side ends at `extent`, which lies within the last pixel.
int cc_axis_open(cc_axis *axis, uint32_t source_count, double extent, uint32_t count);

void cc_axis_close(cc_axis *axis);

#endif
