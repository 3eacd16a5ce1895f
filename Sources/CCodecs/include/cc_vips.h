#ifndef CC_VIPS_H
#define CC_VIPS_H

#include "cc_status.h"

typedef struct cc_vips_image {
    /// Rows without padding: width × height × bytes_per_pixel; read only.
    const uint8_t *pixels;
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA with alpha not multiplied.
    uint32_t bytes_per_pixel;
} cc_vips_image;

/// Resamples to `width` × `height` with Lanczos 3 and writes the rows, without padding, to `target`; libvips
/// 8.14, `vips_resize`. Colours count by their alpha.
///
/// The first call sets libvips up: loaders that are not hardened off, one thread a call, no cache of
/// operations.
cc_status cc_vips_resize(
    const cc_vips_image *source, uint32_t width, uint32_t height, uint8_t *target, cc_message *message);

#endif
