#ifndef VIPS_INTERNAL_H
#define VIPS_INTERNAL_H

#include "cc_types.h"

/// Initializes libvips with the first call: loaders that are not hardened are disabled, one thread a call, no
/// cache of operations, no warnings on standard error. 0 on failure.
int cc_vips_start(void);

/// Returns whether libvips has been initialized.
int cc_vips_is_ready(void);

/// Held while a pipeline of operations is built or destroyed; not while it computes pixels.
///
/// Operations compile machine code through ORC when they are built and free it when they are destroyed. ORC
/// 0.4.33 is not thread-safe for either: its free list is corrupted, and the process crashes.
void cc_vips_lock(void);
void cc_vips_unlock(void);

/// Clears this thread's warning.
void cc_vips_forget_damage(void);

/// Returns this thread's last warning since it was cleared, if it means lost pixels; NULL for none.
const char *cc_vips_damage(void);

/// Moves the error text of libvips into the message.
void cc_vips_take_message(cc_message *message);

#endif
