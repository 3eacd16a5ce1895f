#include "cbaselines.h"

#include <webp/decode.h>
#include <webp/encode.h>

int cb_webp_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    int width, height;
    uint32_t step = picture->bytes_per_pixel;
    if (!WebPGetInfo(file, count, &width, &height)) return 0;
    if (!cb_picture_make(picture, (uint32_t)width, (uint32_t)height, step)) return 0;
    int row_byte_count = width * (int)step;
    size_t room = (size_t)row_byte_count * (size_t)height;
    uint8_t *end = step == 4 ? WebPDecodeRGBAInto(file, count, picture->bytes, room, row_byte_count)
                             : WebPDecodeRGBInto(file, count, picture->bytes, room, row_byte_count);
    return end != NULL;
}

static int encode(const cb_picture *picture, const WebPConfig *config, cb_file *file) {
    *file = (cb_file){NULL, 0};
    WebPPicture source;
    if (!WebPPictureInit(&source)) return 0;
    source.use_argb = config->lossless;
    source.width = (int)picture->width;
    source.height = (int)picture->height;
    int row_byte_count = source.width * (int)picture->bytes_per_pixel;
    int is_done = picture->bytes_per_pixel == 4
        ? WebPPictureImportRGBA(&source, picture->bytes, row_byte_count)
        : WebPPictureImportRGB(&source, picture->bytes, row_byte_count);
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    source.writer = WebPMemoryWrite;
    source.custom_ptr = &writer;
    is_done = is_done && WebPEncode(config, &source);
    WebPPictureFree(&source);
    *file = (cb_file){writer.mem, writer.size};
    return is_done;
}

int cb_webp_encode(const cb_picture *picture, int quality, cb_file *file) {
    WebPConfig config;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)quality)) return 0;
    return encode(picture, &config, file);
}

int cb_webp_encode_lossless(const cb_picture *picture, int effort, cb_file *file) {
    WebPConfig config;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 75)) return 0;
    config.lossless = 1;
    config.method = effort;
    return encode(picture, &config, file);
}
