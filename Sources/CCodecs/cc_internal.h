#ifndef CC_INTERNAL_H
#define CC_INTERNAL_H

#include "cc_status.h"

/// Writes a formatted text, cut to the room there is.
void cc_write_message(cc_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
