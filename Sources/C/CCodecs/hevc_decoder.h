#ifndef CC_HEVC_DECODER_H
#define CC_HEVC_DECODER_H

#include <libde265/de265.h>

/// A decoder in the caller's thread that compares check sums where the stream has any; NULL where there is no
/// memory.
de265_decoder_context *cc_hevc_decoder_make(void);

/// The next picture, decoded without loss and written whole; NULL where there is none, with the reason.
///
/// What was pushed has been flushed, or been ended as a frame.
const struct de265_image *cc_hevc_decoder_run(de265_decoder_context *decoder, const char **reason);

#endif
