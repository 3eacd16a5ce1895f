#include "cc_internal.h"
#include "webp_internal.h"

#include <stdlib.h>
#include <webp/mux.h>

struct cc_webp_animation {
    WebPAnimEncoder *encoder;
    WebPConfig config;
    uint32_t width;
    uint32_t height;
    uint64_t byte_count_max;
};

/// Sets the library's options, with key frames like gif2webp: a lossy frame inherits the error of those
/// before it, so their number is limited.
static cc_status set_options(
    WebPAnimEncoderOptions *options, uint32_t loop_count, const cc_webp_encoding *encoding) {
    if (!WebPAnimEncoderOptionsInit(options)) return cc_status_failure;
    options->anim_params.bgcolor = 0;
    options->anim_params.loop_count = (int)loop_count;
    options->kmin = encoding->is_lossless ? 9 : 3;
    options->kmax = encoding->is_lossless ? 17 : 5;
    return cc_status_ok;
}

static cc_status fail(const cc_webp_animation *animation, cc_message *message) {
    cc_write_message(message, "%s", WebPAnimEncoderGetError(animation->encoder));
    return cc_status_failure;
}

cc_status cc_webp_animation_open(
    uint32_t width, uint32_t height, uint32_t loop_count, const cc_webp_encoding *encoding,
    cc_webp_animation **result, cc_message *message) {
    *result = NULL;
    cc_webp_animation *animation = calloc(1, sizeof *animation);
    if (animation == NULL) return cc_status_out_of_memory;
    animation->width = width;
    animation->height = height;
    animation->byte_count_max = encoding->byte_count_max;
    WebPAnimEncoderOptions options;
    cc_status status = cc_webp_configure_encoding(&animation->config, encoding, message);
    if (status == cc_status_ok) status = set_options(&options, loop_count, encoding);
    if (status == cc_status_ok) {
        animation->encoder = WebPAnimEncoderNew((int)width, (int)height, &options);
        if (animation->encoder == NULL) status = cc_status_out_of_memory;
    }
    if (status == cc_status_ok) {
        *result = animation;
    } else {
        cc_webp_animation_close(animation);
    }
    return status;
}

cc_status cc_webp_animation_add(
    cc_webp_animation *animation, const cc_pixels *pixels, int32_t milliseconds, cc_message *message) {
    if (pixels->width != animation->width || pixels->height != animation->height) {
        cc_write_message(message, "the frame size does not match the canvas");
        return cc_status_failure;
    }
    WebPPicture picture;
    // Frames are compared pixel by pixel, so exact colours are imported.
    cc_status status = cc_webp_import(&picture, pixels, 1, message);
    if (status == cc_status_ok
        && !WebPAnimEncoderAdd(animation->encoder, &picture, milliseconds, &animation->config)) {
        status = picture.error_code == VP8_ENC_OK ? fail(animation, message)
                                                  : cc_webp_encode_failure(picture.error_code, message);
    }
    WebPPictureFree(&picture);
    return status;
}

cc_status cc_webp_animation_finish(
    cc_webp_animation *animation, int32_t milliseconds, cc_bytes exif, cc_bytes xmp, cc_output *output,
    cc_message *message) {
    *output = (cc_output){NULL, 0};
    if (!WebPAnimEncoderAdd(animation->encoder, NULL, milliseconds, NULL)) return fail(animation, message);
    WebPData file;
    WebPDataInit(&file);
    if (!WebPAnimEncoderAssemble(animation->encoder, &file)) return fail(animation, message);
    if (file.size > animation->byte_count_max) {
        WebPDataClear(&file);
        cc_write_message(message, "the result is too large");
        return cc_status_limit_exceeded;
    }
    // The library's memory comes from `malloc`, as required for a `cc_output`.
    *output = (cc_output){(uint8_t *)file.bytes, file.size};
    cc_pixels metadata = {.exif = exif, .xmp = xmp};
    return cc_webp_add_metadata(output, &metadata, animation->byte_count_max, message);
}

void cc_webp_animation_close(cc_webp_animation *animation) {
    if (animation == NULL) return;
    WebPAnimEncoderDelete(animation->encoder);
    free(animation);
}
