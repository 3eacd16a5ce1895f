#include "cc_internal.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <string.h>

// MARK: - Settings

/// For a lossless encode the library uses the quality as effort; this is its default.
static const float lossless_quality = 75;

static WebPPreset preset(cc_webp_content content) {
    switch (content) {
    case cc_webp_content_any: return WEBP_PRESET_DEFAULT;
    case cc_webp_content_picture: return WEBP_PRESET_PICTURE;
    case cc_webp_content_photo: return WEBP_PRESET_PHOTO;
    case cc_webp_content_drawing: return WEBP_PRESET_DRAWING;
    case cc_webp_content_icon: return WEBP_PRESET_ICON;
    case cc_webp_content_text: return WEBP_PRESET_TEXT;
    }
    return WEBP_PRESET_DEFAULT;
}

cc_status cc_webp_configure_encoding(
    WebPConfig *config, const cc_webp_encoding *encoding, cc_message *message) {
    float quality = encoding->is_lossless ? lossless_quality : (float)encoding->quality;
    if (WebPConfigPreset(config, preset(encoding->content), quality)) {
        config->lossless = encoding->is_lossless;
        config->method = encoding->effort;
        if (WebPValidateConfig(config)) return cc_status_ok;
    }
    cc_write_message(message, "libwebp rejects the settings");
    return cc_status_failure;
}

// MARK: - Pixels

/// The library cannot import gray.
static int import_gray(WebPPicture *picture, const cc_pixels *pixels) {
    picture->use_argb = 1;
    if (!WebPPictureAlloc(picture)) return 0;
    const uint8_t *gray = pixels->bytes;
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint32_t *row = picture->argb + (size_t)y * (size_t)picture->argb_stride;
        for (uint32_t x = 0; x < pixels->width; x++) row[x] = 0xff000000u | *gray++ * 0x010101u;
    }
    return 1;
}

cc_status cc_webp_import(
    WebPPicture *picture, const cc_pixels *pixels, int is_argb, cc_message *message) {
    if (!WebPPictureInit(picture)) return cc_status_failure;
    if (pixels->width > WEBP_MAX_DIMENSION || pixels->height > WEBP_MAX_DIMENSION) {
        return cc_webp_encode_failure(VP8_ENC_ERROR_BAD_DIMENSION, message);
    }
    picture->width = (int)pixels->width;
    picture->height = (int)pixels->height;
    picture->use_argb = is_argb;
    int stride = picture->width * (int)pixels->bytes_per_pixel;
    int is_done;
    switch (pixels->bytes_per_pixel) {
    case 1: is_done = import_gray(picture, pixels); break;
    case 3: is_done = WebPPictureImportRGB(picture, pixels->bytes, stride); break;
    default: is_done = WebPPictureImportRGBA(picture, pixels->bytes, stride); break;
    }
    return is_done ? cc_status_ok : cc_status_out_of_memory;
}

// MARK: - Still

typedef struct cc_webp_writer {
    /// During encoding, `count` is the capacity.
    cc_output output;
    size_t used;
    uint64_t byte_count_max;
    cc_status status;
} cc_webp_writer;

/// The library's `WebPWriterFunction`: 0 stops the encode.
static int write_bytes(const uint8_t *bytes, size_t byte_count, const WebPPicture *picture) {
    cc_webp_writer *writer = picture->custom_ptr;
    if (byte_count > writer->byte_count_max || writer->used > writer->byte_count_max - byte_count) {
        writer->status = cc_status_limit_exceeded;
        return 0;
    }
    while (writer->output.count - writer->used < byte_count) {
        writer->status = cc_output_grow(&writer->output, writer->output.count, UINT64_MAX);
        if (writer->status != cc_status_ok) return 0;
    }
    memcpy(writer->output.bytes + writer->used, bytes, byte_count);
    writer->used += byte_count;
    return 1;
}

static cc_status write_picture(
    cc_webp_writer *writer, WebPPicture *picture, const cc_webp_encoding *encoding, cc_message *message) {
    WebPConfig config;
    cc_status status = cc_webp_configure_encoding(&config, encoding, message);
    if (status != cc_status_ok) return status;
    picture->writer = write_bytes;
    picture->custom_ptr = writer;
    if (WebPEncode(&config, picture)) return cc_status_ok;
    if (writer->status == cc_status_ok) return cc_webp_encode_failure(picture->error_code, message);
    if (writer->status == cc_status_limit_exceeded) cc_write_message(message, "the result is too large");
    return writer->status;
}

cc_status cc_webp_encode(
    const cc_pixels *pixels, const cc_webp_encoding *encoding, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    cc_webp_writer writer = {.byte_count_max = encoding->byte_count_max, .status = cc_status_ok};
    WebPPicture picture;
    cc_status status = cc_webp_import(&picture, pixels, encoding->is_lossless, message);
    if (status == cc_status_ok) status = write_picture(&writer, &picture, encoding, message);
    WebPPictureFree(&picture);
    if (status == cc_status_ok) {
        *output = (cc_output){writer.output.bytes, writer.used};
        status = cc_webp_add_metadata(output, pixels, encoding->byte_count_max, message);
    } else {
        free(writer.output.bytes);
    }
    return status;
}
