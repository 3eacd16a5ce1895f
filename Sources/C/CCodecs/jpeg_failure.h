#ifndef CC_JPEG_FAILURE_H
#define CC_JPEG_FAILURE_H

#include "cc_types.h"
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

/// The error handling of libjpeg: its error manager, the exit, and the outcome.
typedef struct cc_jpeg_failure {
    /// First, so that libjpeg's pointer to it is a pointer to the whole.
    struct jpeg_error_mgr manager;
    jmp_buf exit;
    cc_status status;
    cc_message *message;
    /// True if the bytes may end before the image does, as long as no pixel needs them; the second, if they
    /// did.
    int takes_missing_end;
    int lacks_end;
} cc_jpeg_failure;

/// Returns the manager for `info->err`; `exit` must be set before each group of calls.
struct jpeg_error_mgr *cc_jpeg_failure_start(cc_jpeg_failure *failure, cc_message *message);

/// Exits with a status and a text.
void cc_jpeg_fail(j_common_ptr info, cc_status status, const char *text) __attribute__((noreturn));

#endif
