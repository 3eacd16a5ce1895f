#ifndef WEBP_INTERNAL_H
#define WEBP_INTERNAL_H

#include "cc_webp.h"

#include <webp/decode.h>
#include <webp/encode.h>

/// What a status of the library's decoder means, with a text for it.
cc_status cc_webp_decode_failure(VP8StatusCode status, cc_message *message);

/// What an error code of the library's encoder means, with a text for it.
cc_status cc_webp_encode_failure(WebPEncodingError code, cc_message *message);

/// Sets up a decode of a bitstream of a size into `rows`, which become the library's own output.
cc_status cc_webp_configure(
    WebPDecoderConfig *config, uint32_t width, uint32_t height, const cc_webp_decoding *decoding,
    cc_rows rows);

/// Sets up an encode.
cc_status cc_webp_configure_encoding(
    WebPConfig *config, const cc_webp_encoding *encoding, cc_message *message);

/// Makes a picture of the library out of pixels, which are copied; to be given back with `WebPPictureFree`,
/// also where the call fails. `is_argb` where the library is to have the very colours.
cc_status cc_webp_import(
    WebPPicture *picture, const cc_pixels *pixels, int is_argb, cc_message *message);

/// Puts an Exif block, where there is one, into a file that was written: the file becomes another, or where
/// the call fails none.
cc_status cc_webp_add_exif(cc_output *file, cc_bytes exif, uint64_t byte_count_max, cc_message *message);

#endif
