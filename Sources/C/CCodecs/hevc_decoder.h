#ifndef CC_HEVC_DECODER_H
#define CC_HEVC_DECODER_H

#include <libde265/de265.h>

/// Creates a decoder on the caller's thread that verifies checksums in the stream; NULL for lack of memory.
de265_decoder_context *cc_hevc_decoder_make(void);

/// Returns the next complete picture, decoded without loss; NULL with the reason if there is none.
///
/// Before, the pushed data has been flushed, or ended as a frame.
const struct de265_image *cc_hevc_decoder_run(de265_decoder_context *decoder, const char **reason);

#endif
