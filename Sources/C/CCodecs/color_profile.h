#ifndef COLOR_PROFILE_H
#define COLOR_PROFILE_H

#include "cc_types.h"

enum {
    /// Bytes of a profile; larger ones are as none. Those of presses reach 3 MB.
    profile_byte_count_max = 4 << 20,
};

/// Writes a copy of a profile that has no tags but those by which browsers convert colours.
///
/// `copy` has room for as many bytes. 0 where it is no profile of a device, or has no room for its tags.
int cc_profile_reduce(cc_bytes profile, uint8_t *copy);

#endif
