#ifndef CC_CODED_COLOR_H
#define CC_CODED_COLOR_H

#include "cc_types.h"

/// An ICC profile for colours that are named by code points of ITU-T H.273.
///
/// Nothing, which is not an error, where the primaries are those of sRGB and the transfer curve is one that
/// is shown as that of sRGB, where the curve is of high dynamic range (PQ, HLG: they would have to be mapped,
/// not converted), and where a code is unknown.
cc_output cc_coded_color_profile(uint32_t primaries, uint32_t transfer);

#endif
