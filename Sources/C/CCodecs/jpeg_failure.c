#include "jpeg_failure.h"
#include "cc_internal.h"

#include <string.h>
#include <jerror.h>

static cc_status status_of_error(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY: return cc_status_out_of_memory;
    // Results of the memory limit: the library has no temporary files.
    case JERR_NO_BACKING_STORE:
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: return cc_status_limit_exceeded;
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF: return cc_status_truncated;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED: return cc_status_unsupported;
    default: return cc_status_corrupt;
    }
}

/// Converts a warning to its effect on the pixels; `cc_status_ok` if they are complete.
///
/// Bytes between segments, odd progressions and unknown versions in headers lose no pixels.
static cc_status status_of_warning(int code) {
    switch (code) {
    case JWRN_JPEG_EOF: return cc_status_truncated;
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC: return cc_status_corrupt;
    default: return cc_status_ok;
    }
}

static void leave(j_common_ptr info, cc_status status) {
    cc_jpeg_failure *failure = (cc_jpeg_failure *)info->err;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    failure->status = status;
    cc_write_message(failure->message, "%s", text);
    longjmp(failure->exit, 1);
}

/// After the end of the bytes, every error counts as truncation.
static cc_status status_at_end(j_common_ptr info, cc_status status) {
    const cc_jpeg_failure *failure = (cc_jpeg_failure *)info->err;
    return failure->lacks_end && status == cc_status_corrupt ? cc_status_truncated : status;
}

static void on_error(j_common_ptr info) {
    leave(info, status_at_end(info, status_of_error(info->err->msg_code)));
}

static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    cc_jpeg_failure *failure = (cc_jpeg_failure *)info->err;
    if (info->err->msg_code == JWRN_JPEG_EOF && failure->takes_missing_end) {
        failure->lacks_end = 1;
        return;
    }
    cc_status status = status_at_end(info, status_of_warning(info->err->msg_code));
    if (status != cc_status_ok) leave(info, status);
}

struct jpeg_error_mgr *cc_jpeg_failure_start(cc_jpeg_failure *failure, cc_message *message) {
    memset(failure, 0, sizeof *failure);
    failure->message = message;
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = on_error;
    failure->manager.emit_message = on_message;
    return &failure->manager;
}

void cc_jpeg_fail(j_common_ptr info, cc_status status, const char *text) {
    cc_jpeg_failure *failure = (cc_jpeg_failure *)info->err;
    failure->status = status;
    cc_write_message(failure->message, "%s", text);
    longjmp(failure->exit, 1);
}
