#ifdef CALOTYPE_AVIF

#include "avif_failure.h"
#include "cc_internal.h"

#include <string.h>

/// libavif has no code for its limits; it names them in the text.
static int names_limit(const char *text) {
    return strstr(text, "too large") != NULL || strstr(text, "imageCountLimit") != NULL;
}

cc_status cc_avif_status(avifResult result, const avifDiagnostics *diagnostics, cc_message *message) {
    if (result == AVIF_RESULT_OK) return cc_status_ok;
    const char *detail = diagnostics->error;
    cc_write_message(
        message, "%s%s%s", avifResultToString(result), detail[0] == 0 ? "" : ": ", detail);
    if (names_limit(detail)) return cc_status_limit_exceeded;
    switch (result) {
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR: return cc_status_truncated;
    case AVIF_RESULT_OUT_OF_MEMORY: return cc_status_out_of_memory;
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_NOT_IMPLEMENTED:
    // Valid planes with an unsupported matrix.
    case AVIF_RESULT_REFORMAT_FAILED:
    case AVIF_RESULT_UNSUPPORTED_DEPTH: return cc_status_unsupported;
    default: return cc_status_corrupt;
    }
}

#endif
