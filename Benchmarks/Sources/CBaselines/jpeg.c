#include "cbaselines.h"

#include <string.h>
#include <stdlib.h>
#include <turbojpeg.h>

int cb_jpeg_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    tjhandle decoder = tjInitDecompress();
    if (decoder == NULL) return 0;
    int width, height, subsampling, space;
    uint32_t step = picture->bytes_per_pixel;
    int is_done = tjDecompressHeader3(decoder, file, count, &width, &height, &subsampling, &space) == 0
        && cb_picture_make(picture, (uint32_t)width, (uint32_t)height, step)
        && tjDecompress2(
               decoder, file, count, picture->bytes, width, 0, height, step == 1 ? TJPF_GRAY : TJPF_RGB, 0)
            == 0;
    tjDestroy(decoder);
    return is_done;
}

int cb_jpeg_encode(const cb_picture *picture, int quality, cb_file *file) {
    *file = (cb_file){NULL, 0};
    tjhandle encoder = tjInitCompress();
    if (encoder == NULL) return 0;
    unsigned long count = 0;
    int failed = tjCompress2(
        encoder, picture->bytes, (int)picture->width, 0, (int)picture->height, TJPF_RGB, &file->bytes,
        &count, TJSAMP_420, quality, 0);
    file->count = count;
    tjDestroy(encoder);
    return failed == 0;
}
