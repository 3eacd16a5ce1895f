#include "cc_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cc_write_message(cc_message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
}

void cc_output_trim(cc_output *output) {
    if (output->bytes == NULL || output->count == 0) return;
    uint8_t *bytes = realloc(output->bytes, output->count);
    if (bytes != NULL) output->bytes = bytes;
}

cc_status cc_output_grow(cc_output *output, size_t used, uint64_t byte_count_max) {
    if (used > byte_count_max) return cc_status_limit_exceeded;
    size_t capacity = used < 16384 ? 32768 : used * 2;
    uint8_t *bytes = realloc(output->bytes, capacity);
    if (bytes == NULL) return cc_status_out_of_memory;
    output->bytes = bytes;
    output->count = capacity;
    return cc_status_ok;
}
