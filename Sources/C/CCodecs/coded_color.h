#ifndef CC_CODED_COLOR_H
#define CC_CODED_COLOR_H

#include "cc_types.h"

/// Creates an ICC profile for colours given by code points of ITU-T H.273.
///
/// The curves of high dynamic range, PQ (16) and HLG (18), include the mapping to a standard screen: ITU-R
/// BT.2390 section 5.4.1 on each channel, from a peak of 1000 cd/m² to one of 203 cd/m².
///
/// The result is empty, without an error, if the primaries are those of sRGB and the transfer curve is
/// treated as that of sRGB, or if a code is unknown.
cc_output cc_coded_color_profile(uint32_t primaries, uint32_t transfer);

/// Creates an ICC profile of the primaries of sRGB with a power as its tone curve; empty for lack of memory.
cc_output cc_power_profile(double power);

#endif
