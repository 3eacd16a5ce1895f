#ifndef CC_VIPS_H
#define CC_VIPS_H

#include "cc_types.h"

/// Resamples to `width` × `height` with Lanczos 3 and writes the rows, without padding, to `target`; libvips
/// 8.14, `vips_resize`. Colours count by their alpha.
///
/// The first call sets libvips up: loaders that are not hardened off, one thread a call, no cache of
/// operations.
cc_status cc_vips_resize(
    const cc_pixels *source, uint32_t width, uint32_t height, uint8_t *target, cc_message *message);

#endif
