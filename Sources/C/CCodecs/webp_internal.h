#ifndef WEBP_INTERNAL_H
#define WEBP_INTERNAL_H

#include "cc_webp.h"

#include <webp/decode.h>
#include <webp/encode.h>

/// Converts a status of the library's decoder, with a text.
cc_status cc_webp_decode_failure(VP8StatusCode status, cc_message *message);

/// Converts an error code of the library's encoder, with a text.
cc_status cc_webp_encode_failure(WebPEncodingError code, cc_message *message);

/// Configures a decode of a bitstream of a size into `rows`, which become the library's output.
cc_status cc_webp_configure(
    WebPDecoderConfig *config, uint32_t width, uint32_t height, const cc_webp_decoding *decoding,
    cc_rows rows);

/// Sets up an encode.
cc_status cc_webp_configure_encoding(
    WebPConfig *config, const cc_webp_encoding *encoding, cc_message *message);

/// Imports pixels into a picture of the library, as a copy; free it with `WebPPictureFree`, even if the call
/// fails. `is_argb` preserves the exact colours.
cc_status cc_webp_import(
    WebPPicture *picture, const cc_pixels *pixels, int is_argb, cc_message *message);

/// Adds the colours and the metadata of pixels, if there are any, to an encoded file, which is replaced; on
/// failure none is created.
cc_status cc_webp_add_metadata(
    cc_output *file, const cc_pixels *pixels, uint64_t byte_count_max, cc_message *message);

#endif
