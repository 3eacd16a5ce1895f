#include "cc_internal.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <string.h>

struct cc_webp_stream {
    /// The decoder below refers to it.
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    cc_rows rows;
    uint32_t width;
};

cc_status cc_webp_stream_open(
    uint32_t width, uint32_t height, const cc_webp_decoding *decoding, cc_webp_stream **result) {
    *result = NULL;
    cc_webp_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return cc_status_out_of_memory;
    size_t row_byte_count = (size_t)decoding->width * decoding->bytes_per_pixel;
    stream->width = decoding->width;
    stream->rows = (cc_rows){calloc(decoding->height, row_byte_count), row_byte_count, decoding->height};
    cc_status status = cc_status_out_of_memory;
    if (stream->rows.bytes != NULL) {
        status = cc_webp_configure(&stream->config, width, height, decoding, stream->rows);
        if (status == cc_status_ok) stream->decoder = WebPIDecode(NULL, 0, &stream->config);
    }
    if (stream->decoder != NULL) {
        *result = stream;
        return cc_status_ok;
    }
    cc_webp_stream_close(stream);
    return status == cc_status_ok ? cc_status_out_of_memory : status;
}

cc_status cc_webp_stream_update(
    cc_webp_stream *stream, cc_bytes bitstream, uint32_t *row_count, int32_t *is_whole, cc_message *message) {
    VP8StatusCode result = WebPIUpdate(stream->decoder, bitstream.start, bitstream.count);
    int last_y = 0, width = 0, height = 0;
    int has_rows = WebPIDecGetRGB(stream->decoder, &last_y, &width, &height, NULL) != NULL && last_y > 0;
    if (has_rows && (width != (int)stream->width || height != (int)stream->rows.row_count)) {
        cc_write_message(message, "the bitstream size does not match its header");
        return cc_status_corrupt;
    }
    *row_count = has_rows ? (uint32_t)last_y : 0;
    *is_whole = result == VP8_STATUS_OK;
    if (result == VP8_STATUS_SUSPENDED || result == VP8_STATUS_NOT_ENOUGH_DATA) return cc_status_ok;
    return cc_webp_decode_failure(result, message);
}

cc_status cc_webp_stream_copy(
    const cc_webp_stream *stream, uint32_t row_count, const cc_color_transform *color, cc_rows rows) {
    size_t row_byte_count = stream->rows.row_byte_count;
    if (rows.row_byte_count != row_byte_count || rows.row_count != stream->rows.row_count) {
        return cc_status_failure;
    }
    for (uint32_t i = 0; i < rows.row_count; i++) {
        uint8_t *row = rows.bytes + i * rows.row_byte_count;
        if (i >= row_count) {
            memset(row, 0, row_byte_count);
            continue;
        }
        memcpy(row, stream->rows.bytes + i * row_byte_count, row_byte_count);
        if (color != NULL) cc_color_apply(color, row, row, stream->width);
    }
    return cc_status_ok;
}

void cc_webp_stream_close(cc_webp_stream *stream) {
    if (stream == NULL) return;
    WebPIDelete(stream->decoder);
    WebPFreeDecBuffer(&stream->config.output);
    free(stream->rows.bytes);
    free(stream);
}
