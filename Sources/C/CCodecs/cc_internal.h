#ifndef CC_INTERNAL_H
#define CC_INTERNAL_H

#include "cc_types.h"

#include <cthreadcalls.h>

/// Whether the decode is to end: to be asked for each row, or few of them.
static inline int cc_is_stopped(void) {
    return calotype_thread_is_stopped();
}

/// Writes a formatted text, cut to the room there is.
void cc_write_message(cc_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Makes room for more bytes behind `used`, at least doubling it, so that the cost of moving stays linear.
///
/// `cc_status_limit_exceeded` where `used` is beyond `byte_count_max` already, which keeps what is made
/// bounded.
cc_status cc_output_grow(cc_output *output, size_t used, uint64_t byte_count_max);

/// A half float (IEC 60559 binary16) of a single one, rounded to the nearest.
uint16_t cc_half_of(float value);

/// A single float of a half one, exactly.
float cc_single_of(uint16_t half);

#endif
