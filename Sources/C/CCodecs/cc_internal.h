#ifndef CC_INTERNAL_H
#define CC_INTERNAL_H

#include "cc_types.h"

#include <cthreadcalls.h>

/// Returns whether the decode has to stop; call it once for each row, or a few rows.
static inline int cc_is_stopped(void) {
    return calotype_thread_is_stopped();
}

/// Writes a formatted text, truncated to the available space.
void cc_write_message(cc_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Allocates space for more bytes after `used`, at least doubling it, so that the cost of copying stays
/// linear.
///
/// Returns `cc_status_limit_exceeded` if `used` exceeds `byte_count_max`, which bounds the output.
cc_status cc_output_grow(cc_output *output, size_t used, uint64_t byte_count_max);

/// Converts a single float to a half float (IEC 60559 binary16), rounded to the nearest.
uint16_t cc_half_of(float value);

/// Converts a half float to a single float, exactly.
float cc_single_of(uint16_t half);

#endif
