#ifndef VIPS_INTERNAL_H
#define VIPS_INTERNAL_H

#include "cc_types.h"

/// Sets libvips up with the first call: loaders that are not hardened off, one thread a call, no cache of
/// operations, no warnings on standard error. 0 where that failed.
int cc_vips_start(void);

/// Takes what libvips says of a failure as the text, and forgets it.
void cc_vips_take_message(cc_message *message);

#endif
