#ifndef CC_AVIF_FAILURE_H
#define CC_AVIF_FAILURE_H

#include "cc_types.h"
#include <avif/avif.h>

/// Converts a result of libavif to a status, and writes its text to `message`.
cc_status cc_avif_status(avifResult result, const avifDiagnostics *diagnostics, cc_message *message);

#endif
