#ifndef CC_CODED_COLOR_H
#define CC_CODED_COLOR_H

#include "cc_types.h"

/// An ICC profile for colours that are named by code points of ITU-T H.273.
///
/// The curves of high dynamic range, PQ (16) and HLG (18), have the way to a screen of standard range in
/// them: ITU-R BT.2390 section 5.4.1 on each channel, from a peak of 1000 cd/m² to one of 203 cd/m².
///
/// Nothing, which is not an error, where the primaries are those of sRGB and the transfer curve is one that
/// is shown as that of sRGB, and where a code is unknown.
cc_output cc_coded_color_profile(uint32_t primaries, uint32_t transfer);

/// The ICC profile of the primaries of sRGB with a power as its tone curve; no bytes where there is no
/// memory.
cc_output cc_power_profile(double power);

#endif
