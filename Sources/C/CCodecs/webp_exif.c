#include "cc_internal.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <webp/mux.h>

/// The library adds the header that the file needs.
static WebPMuxError add(WebPMux *mux, cc_bytes exif, WebPData *result) {
    if (mux == NULL) return WEBP_MUX_MEMORY_ERROR;
    WebPData chunk = {exif.start, exif.count};
    WebPMuxError error = WebPMuxSetChunk(mux, "EXIF", &chunk, 0);
    return error == WEBP_MUX_OK ? WebPMuxAssemble(mux, result) : error;
}

cc_status cc_webp_add_exif(cc_output *file, cc_bytes exif, uint64_t byte_count_max, cc_message *message) {
    if (exif.count == 0) return cc_status_ok;
    WebPData source = {file->bytes, file->count}, result;
    WebPDataInit(&result);
    WebPMux *mux = WebPMuxCreate(&source, 0);
    WebPMuxError error = add(mux, exif, &result);
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
