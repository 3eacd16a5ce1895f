#ifndef CC_RESAMPLE_AXIS_H
#define CC_RESAMPLE_AXIS_H

#include <stddef.h>
#include <stdint.h>

/// The source pixels that contribute to each pixel of the result along an axis, with their weights.
typedef struct cc_axis {
    uint32_t source_count;
    uint32_t count;
    /// The number of source pixels for each pixel of the result, with fractions.
    double scale;
    /// The capacity for the weights of one pixel of the result.
    size_t stride;
    /// The range of source pixels of each, and their weights, which add up to 1.
    uint32_t *starts;
    uint32_t *ends;
    float *weights;
} cc_axis;

/// Computes the weights of `source_count` pixels for `count`, which is at least 1 and no more; 0 for lack of
/// memory. Freed by `cc_axis_close` in any case.
///
/// The side ends at `extent`, which lies within the last pixel.
int cc_axis_open(cc_axis *axis, uint32_t source_count, double extent, uint32_t count);

void cc_axis_close(cc_axis *axis);

#endif
