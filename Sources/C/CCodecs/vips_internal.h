#ifndef VIPS_INTERNAL_H
#define VIPS_INTERNAL_H

#include "cc_types.h"

/// Sets libvips up with the first call: loaders that are not hardened off, one thread a call, no cache of
/// operations, no warnings on standard error. 0 where that failed.
int cc_vips_start(void);

/// Whether it has been set up.
int cc_vips_is_ready(void);

/// Held while a pipeline of operations is built, and while it is taken apart; not while it makes pixels.
///
/// Operations compile machine code through ORC when they are built and free it when they go, and ORC 0.4.33
/// does neither safely on two threads: its list of free memory breaks, and the process crashes.
void cc_vips_lock(void);
void cc_vips_unlock(void);

/// Forgets what this thread was warned of.
void cc_vips_forget_damage(void);

/// What this thread was warned of last since it forgot, where pixels are lost by it; NULL for nothing.
const char *cc_vips_damage(void);

/// Takes what libvips says of a failure as the text, and forgets it.
void cc_vips_take_message(cc_message *message);

#endif
