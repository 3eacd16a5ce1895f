#ifndef CC_HEIF_FAILURE_H
#define CC_HEIF_FAILURE_H

#include "cc_types.h"
#include <libheif/heif.h>

/// Sets libheif up, once in the process.
void cc_heif_start(void);

/// What an error of libheif means, with its text written to `message`; the text lives no longer than its
/// context.
cc_status cc_heif_status(struct heif_error error, cc_message *message);

#endif
