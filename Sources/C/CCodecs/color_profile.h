#ifndef COLOR_PROFILE_H
#define COLOR_PROFILE_H

#include "cc_types.h"

enum {
    /// The maximum size of a profile; larger ones are ignored. Those of printing processes reach 3 MB.
    profile_byte_count_max = 4 << 20,
};

/// Writes a copy of a profile with only the tags that browsers use for conversion.
///
/// `copy` has space for the same number of bytes. 0 if it is not a device profile, or has too many tags.
int cc_profile_reduce(cc_bytes profile, uint8_t *copy);

#endif
