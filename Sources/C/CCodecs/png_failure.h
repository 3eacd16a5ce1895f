#ifndef CC_PNG_FAILURE_H
#define CC_PNG_FAILURE_H

#include "cc_types.h"
#include <setjmp.h>
#include <png.h>

/// How libpng reports: the way out, and where the outcome goes. It is libpng's error pointer.
typedef struct cc_png_failure {
    jmp_buf exit;
    cc_status status;
    cc_message *message;
    /// Whether pixels are being read, where some of libpng's warnings mean damage.
    int reads_pixels;
    /// Whether more than the image came while its bytes arrived, where libpng stops reading.
    int has_excess;
} cc_png_failure;

/// `png_set_error_fn`'s functions.
void cc_png_on_error(png_structp png, png_const_charp text) __attribute__((noreturn));
void cc_png_on_warning(png_structp png, png_const_charp text);

/// Leaves with a status and a text of our own.
void cc_png_fail(png_structp png, cc_status status, const char *text) __attribute__((noreturn));

#endif
