#include "webp_internal.h"
#include "cc_internal.h"

static cc_status fail(cc_status status, const char *text, cc_message *message) {
    cc_write_message(message, "%s", text);
    return status;
}

cc_status cc_webp_decode_failure(VP8StatusCode status, cc_message *message) {
    switch (status) {
    case VP8_STATUS_OK: return cc_status_ok;
    case VP8_STATUS_OUT_OF_MEMORY:
        return fail(cc_status_out_of_memory, "no memory for the bitstream", message);
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return fail(cc_status_unsupported, "the bitstream has a feature that libwebp does not", message);
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return fail(cc_status_truncated, "the bitstream ends before its last pixel", message);
    case VP8_STATUS_BITSTREAM_ERROR:
        return fail(cc_status_corrupt, "the bitstream breaks the rules of VP8 or VP8L", message);
    default: return fail(cc_status_failure, "libwebp was called with wrong parameters", message);
    }
}

cc_status cc_webp_encode_failure(WebPEncodingError code, cc_message *message) {
    switch (code) {
    case VP8_ENC_OK: return cc_status_ok;
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
        return fail(cc_status_out_of_memory, "no memory for the encoder", message);
    case VP8_ENC_ERROR_BAD_DIMENSION:
        return fail(cc_status_unsupported, "a side is longer than WebP has it", message);
    case VP8_ENC_ERROR_FILE_TOO_BIG:
        return fail(cc_status_limit_exceeded, "the result is larger than WebP has it", message);
    default:
        cc_write_message(message, "libwebp failed with error %d", (int)code);
        return cc_status_failure;
    }
}

cc_status cc_webp_configure(
    WebPDecoderConfig *config, uint32_t width, uint32_t height, const cc_webp_decoding *decoding,
    cc_rows rows) {
    if (!WebPInitDecoderConfig(config)) return cc_status_failure;
    config->output.colorspace = decoding->bytes_per_pixel == 3 ? MODE_RGB : MODE_RGBA;
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = rows.bytes;
    config->output.u.RGBA.stride = (int)rows.row_byte_count;
    // The last row of a part of a canvas has fewer bytes after it than a whole row.
    size_t last_row = (size_t)decoding->width * decoding->bytes_per_pixel;
    config->output.u.RGBA.size = rows.row_byte_count * (rows.row_count - 1) + last_row;
    if (decoding->width != width || decoding->height != height) {
        config->options.use_scaling = 1;
        config->options.scaled_width = (int)decoding->width;
        config->options.scaled_height = (int)decoding->height;
    }
    return cc_status_ok;
}
