#ifndef COLOR_TRANSFORM_H
#define COLOR_TRANSFORM_H

#include "cc_color.h"

#include <lcms2.h>

struct cc_color_transform {
    /// Of this transform only: lcms2's contexts are not for several threads at once.
    cmsContext context;
    cmsHTRANSFORM transform;
    cc_channels channels;
    /// Whether a profile of colours is for gray pixels, which `levels` then has the result for.
    int maps_levels;
    uint8_t levels[256];
    /// Who holds the transform, the cache among them; counted under the lock of the cache.
    size_t holder_count;
};

/// Makes a transform, for `cc_color_free`; NULL where there is nothing to do.
cc_color_transform *cc_color_make(cc_bytes profile, cc_channels channels);

void cc_color_free(cc_color_transform *color);

#endif
