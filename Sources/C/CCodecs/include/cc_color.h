#ifndef CC_COLOR_H
#define CC_COLOR_H

#include "cc_types.h"
#include <stddef.h>

/// The pixel layouts that a profile can describe.
typedef enum __attribute__((enum_extensibility(closed))) cc_channels : int32_t {
    cc_channels_gray,
    cc_channels_rgb,
    cc_channels_rgba,
    cc_channels_cmyk,
    /// 255 means no ink, as Adobe writes it.
    cc_channels_cmyk_inverted,
    /// 16 bits a channel, integers and half floats.
    cc_channels_rgba16,
    cc_channels_rgba_half,
} cc_channels;

/// A transform from the colours of a profile to sRGB; lcms2 2.14, `cmsCreateTransform`, perceptual intent.
///
/// Immutable, so threads may share it.
typedef struct cc_color_transform cc_color_transform;

/// Opens a transform, to be freed by `cc_color_close`. The profile's bytes are copied.
///
/// The last requested transforms are cached and shared by all callers: the same profile results in the same
/// transform.
///
/// NULL if no conversion is needed: the profile is damaged, larger than 4 MiB, for other channels, or changes
/// no colour by more than one level (sRGB itself, in any form). Only the tags that browsers support are used:
/// tables (A2Bx), matrix and curves, but not DToBx.
cc_color_transform *cc_color_open(cc_bytes profile, cc_channels channels);

/// Opens a transform for colours given by code points of ITU-T H.273, with high dynamic range mapped to a
/// standard screen.
cc_color_transform *cc_color_open_coded(uint32_t primaries, uint32_t transfer, cc_channels channels);

/// Returns a profile of the same colours with the required tags only, owned by the caller: the primaries and
/// the curves, without texts and tables.
///
/// Empty unless the profile describes RGB by primaries that sum to white, with rising curves, and the result
/// has at most 8 KiB. Also empty for Display P3, however it is described, with `is_display_p3` set to 1.
cc_output cc_color_compact(cc_bytes profile, int32_t *is_display_p3);

/// Converts pixels: gray to gray, by a gray or colour profile, RGB to RGB, RGBA to RGBA of the same depth
/// with unchanged alpha, CMYK to RGB.
///
/// `source` and `target` may be the same memory, except for CMYK.
void cc_color_apply(
    const cc_color_transform *color, const uint8_t *source, uint8_t *target, uint32_t pixel_count);

void cc_color_close(cc_color_transform *color);

#endif
