#include "cc_internal.h"
#include "coded_color.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <webp/mux.h>

static WebPMuxError add(WebPMux *mux, const char name[4], cc_bytes bytes) {
    if (bytes.count == 0) return WEBP_MUX_OK;
    WebPData chunk = {bytes.start, bytes.count};
    return WebPMuxSetChunk(mux, name, &chunk, 0);
}

/// The library adds the header that the file needs, and orders the chunks.
static WebPMuxError add_all(WebPMux *mux, const cc_pixels *pixels, cc_bytes profile, WebPData *result) {
    if (mux == NULL) return WEBP_MUX_MEMORY_ERROR;
    WebPMuxError error = add(mux, "ICCP", profile);
    if (error == WEBP_MUX_OK) error = add(mux, "EXIF", pixels->exif);
    if (error == WEBP_MUX_OK) error = add(mux, "XMP ", pixels->xmp);
    return error == WEBP_MUX_OK ? WebPMuxAssemble(mux, result) : error;
}

static cc_status add_chunks(
    cc_output *file, const cc_pixels *pixels, cc_bytes profile, uint64_t byte_count_max,
    cc_message *message) {
    WebPData source = {file->bytes, file->count}, result;
    WebPDataInit(&result);
    WebPMux *mux = WebPMuxCreate(&source, 0);
    WebPMuxError error = add_all(mux, pixels, profile, &result);
    WebPMuxDelete(mux);
    free(file->bytes);
    *file = (cc_output){NULL, 0};
    if (error == WEBP_MUX_MEMORY_ERROR) return cc_status_out_of_memory;
    if (error != WEBP_MUX_OK) {
        cc_write_message(message, "libwebpmux failed with error %d", (int)error);
        return cc_status_failure;
    }
    if (result.size > byte_count_max) {
        WebPDataClear(&result);
        cc_write_message(message, "the result is too large");
        return cc_status_limit_exceeded;
    }
    // The library's memory comes from `malloc`, as required for a `cc_output`.
    *file = (cc_output){(uint8_t *)result.bytes, result.size};
    return cc_status_ok;
}

cc_status cc_webp_add_metadata(
    cc_output *file, const cc_pixels *pixels, uint64_t byte_count_max, cc_message *message) {
    cc_bytes profile = pixels->profile;
    cc_output coded = {NULL, 0};
    int is_high = pixels->transfer == 16 || pixels->transfer == 18;
    if (profile.count == 0 && pixels->primaries > 0 && !is_high) {
        coded = cc_coded_color_profile(pixels->primaries, pixels->transfer);
        profile = (cc_bytes){coded.bytes, coded.count};
    }
    cc_status status = cc_status_ok;
    if (profile.count + pixels->exif.count + pixels->xmp.count > 0) {
        status = add_chunks(file, pixels, profile, byte_count_max, message);
    }
    free(coded.bytes);
    return status;
}
