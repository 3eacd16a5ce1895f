#include "cbaselines.h"

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <stdlib.h>

static int decode(JxlDecoder *decoder, cb_picture *picture) {
    uint32_t step = picture->bytes_per_pixel;
    JxlPixelFormat format = {step, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    JxlBasicInfo info;
    for (;;) {
        switch (JxlDecoderProcessInput(decoder)) {
        case JXL_DEC_BASIC_INFO:
            if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) return 0;
            break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (!cb_picture_make(picture, info.xsize, info.ysize, step)) return 0;
            size_t byte_count = (size_t)info.xsize * info.ysize * step;
            JxlDecoderStatus status =
                JxlDecoderSetImageOutBuffer(decoder, &format, picture->bytes, byte_count);
            if (status != JXL_DEC_SUCCESS) return 0;
            break;
        case JXL_DEC_FULL_IMAGE: return 1;
        default: return 0;
        }
    }
}

int cb_jxl_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (decoder == NULL) return 0;
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE;
    int is_done = JxlDecoderSubscribeEvents(decoder, events) == JXL_DEC_SUCCESS
        && JxlDecoderSetInput(decoder, file, count) == JXL_DEC_SUCCESS;
    JxlDecoderCloseInput(decoder);
    is_done = is_done && decode(decoder, picture);
    JxlDecoderDestroy(decoder);
    return is_done;
}

static int drain(JxlEncoder *encoder, cb_file *file) {
    size_t room = 1 << 16, used = 0;
    file->bytes = malloc(room);
    for (;;) {
        uint8_t *next = file->bytes + used;
        size_t left = room - used;
        JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
        used = room - left;
        file->count = used;
        if (status != JXL_ENC_NEED_MORE_OUTPUT) return status == JXL_ENC_SUCCESS;
        room *= 2;
        file->bytes = realloc(file->bytes, room);
        if (file->bytes == NULL) return 0;
    }
}

static int begin(JxlEncoder *encoder, const cb_picture *picture) {
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = picture->width;
    info.ysize = picture->height;
    info.uses_original_profile = JXL_FALSE;
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE);
    return JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS
        && JxlEncoderSetColorEncoding(encoder, &color) == JXL_ENC_SUCCESS;
}

int cb_jxl_encode(const cb_picture *picture, int distance, cb_file *file) {
    *file = (cb_file){NULL, 0};
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    if (encoder == NULL) return 0;
    JxlPixelFormat format = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    size_t byte_count = (size_t)picture->width * picture->height * 3;
    int is_done = begin(encoder, picture);
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3);
    JxlEncoderSetFrameDistance(settings, (float)distance / 100);
    is_done = is_done
        && JxlEncoderAddImageFrame(settings, &format, picture->bytes, byte_count) == JXL_ENC_SUCCESS;
    JxlEncoderCloseInput(encoder);
    is_done = is_done && drain(encoder, file);
    JxlEncoderDestroy(encoder);
    return is_done;
}
