#ifndef CC_PNG_FAILURE_H
#define CC_PNG_FAILURE_H

#include "cc_types.h"
#include <setjmp.h>
#include <png.h>

/// The error handling of libpng: the exit, and the outcome. It is libpng's error pointer.
typedef struct cc_png_failure {
    jmp_buf exit;
    cc_status status;
    cc_message *message;
    /// True if pixels are being read, when some of libpng's warnings mean damage.
    int reads_pixels;
    /// True if excess pixels followed the image while its bytes arrived; libpng then stops reading.
    int has_excess;
} cc_png_failure;

/// `png_set_error_fn`'s functions.
void cc_png_on_error(png_structp png, png_const_charp text) __attribute__((noreturn));
void cc_png_on_warning(png_structp png, png_const_charp text);

/// Exits with a status and a text.
void cc_png_fail(png_structp png, cc_status status, const char *text) __attribute__((noreturn));

#endif
