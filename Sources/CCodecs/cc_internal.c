#include "cc_internal.h"

#include <stdarg.h>
#include <stdio.h>

void cc_write_message(cc_message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
}
