#ifndef CC_COLOR_H
#define CC_COLOR_H

#include "cc_types.h"
#include <stddef.h>

/// How the pixels are laid out that a profile describes.
typedef enum __attribute__((enum_extensibility(closed))) cc_channels : int32_t {
    cc_channels_gray,
    cc_channels_rgb,
    cc_channels_rgba,
    cc_channels_cmyk,
    /// 255 stands for no ink, as Adobe writes it.
    cc_channels_cmyk_inverted,
    /// 16 bits a channel, integers and half floats.
    cc_channels_rgba16,
    cc_channels_rgba_half,
} cc_channels;

/// A way from the colours of a profile to sRGB; lcms2 2.14, `cmsCreateTransform`, perceptual intent.
///
/// It does not change, so threads may share it.
typedef struct cc_color_transform cc_color_transform;

/// A transform, to be given back with `cc_color_close`. The profile's bytes are copied.
///
/// The last that were asked for are kept, whoever asked: the same profile gives the same transform.
///
/// NULL where there is nothing to do: the profile is damaged, larger than 4 MiB, for other channels, or
/// changes no colour by more than one level (sRGB itself, in whichever way it is written). Of its tags those
/// count that browsers know: tables (A2Bx), matrix and curves, but no DToBx.
cc_color_transform *cc_color_open(cc_bytes profile, cc_channels channels);

/// The same for colours that are named by code points of ITU-T H.273, high dynamic range on the way to a
/// screen of standard range.
cc_color_transform *cc_color_open_coded(uint32_t primaries, uint32_t transfer, cc_channels channels);

/// Converts pixels: gray to gray, by a profile of gray or of colours, RGB to RGB, RGBA to RGBA (alpha stays)
/// of the same depth, CMYK to RGB.
///
/// `source` and `target` may be the same memory, except for CMYK.
void cc_color_apply(
    const cc_color_transform *color, const uint8_t *source, uint8_t *target, uint32_t pixel_count);

void cc_color_close(cc_color_transform *color);

#endif
