#ifndef CC_HEIF_FAILURE_H
#define CC_HEIF_FAILURE_H

#include "cc_types.h"
#include <libheif/heif.h>

/// Initializes libheif, once per process.
void cc_heif_start(void);

/// Converts an error of libheif to a status, and writes its text to `message`; the text lives as long as its
/// context.
cc_status cc_heif_status(struct heif_error error, cc_message *message);

#endif
