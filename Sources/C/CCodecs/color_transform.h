#ifndef COLOR_TRANSFORM_H
#define COLOR_TRANSFORM_H

#include "cc_color.h"

#include <lcms2.h>

struct cc_color_transform {
    /// Not shared with other transforms: lcms2's contexts are not thread-safe.
    cmsContext context;
    cmsHTRANSFORM transform;
    cc_channels channels;
    /// True if a colour profile is applied to gray pixels, with the results in `levels`.
    int maps_levels;
    uint8_t levels[256];
    /// The number of references, including the cache's; protected by the lock of the cache.
    size_t holder_count;
};

/// Creates a transform, to be freed by `cc_color_free`; NULL if no conversion is needed.
cc_color_transform *cc_color_make(cc_bytes profile, cc_channels channels);

void cc_color_free(cc_color_transform *color);

#endif
