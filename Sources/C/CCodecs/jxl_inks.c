#ifdef CALOTYPE_JPEGXL

#include "jxl_inks.h"

#include <stdlib.h>
#include <string.h>

void cc_jxl_inks_find(cc_jxl_inks *inks, const JxlDecoder *decoder, uint32_t channel_count) {
    inks->has_black = 0;
    for (uint32_t i = 0; i < channel_count; i++) {
        JxlExtraChannelInfo channel;
        if (JxlDecoderGetExtraChannelInfo(decoder, i, &channel) != JXL_DEC_SUCCESS) continue;
        if (channel.type != JXL_CHANNEL_BLACK) continue;
        inks->has_black = 1;
        inks->channel = i;
        return;
    }
}

cc_status cc_jxl_inks_receive(cc_jxl_inks *inks, JxlDecoder *decoder, const JxlBasicInfo *info) {
    if (!inks->has_black) return cc_status_ok;
    JxlPixelFormat format = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    size_t needed = 0, count = (size_t)info->xsize * info->ysize;
    if (JxlDecoderExtraChannelBufferSize(decoder, &format, &needed, inks->channel) != JXL_DEC_SUCCESS
        || needed != count) {
        return cc_status_failure;
    }
    if (inks->levels == NULL) inks->levels = calloc(info->ysize, info->xsize);
    if (inks->levels == NULL) return cc_status_out_of_memory;
    JxlDecoderStatus status =
        JxlDecoderSetExtraChannelBuffer(decoder, &format, inks->levels, count, inks->channel);
    return status == JXL_DEC_SUCCESS ? cc_status_ok : cc_status_failure;
}

static void mix(const uint8_t *ink, uint8_t *pixel) {
    for (int i = 0; i < 3; i++) pixel[i] = (uint8_t)((ink[i] * (uint32_t)ink[3] + 127) / 255);
}

cc_status cc_jxl_inks_convert(
    const cc_jxl_inks *inks, uint32_t width, uint32_t bytes_per_pixel, cc_rows rows) {
    uint8_t *line = calloc(width, 7), *mixed = line == NULL ? NULL : line + (size_t)width * 4;
    if (line == NULL || inks->levels == NULL || bytes_per_pixel < 3) {
        free(line);
        return line == NULL ? cc_status_out_of_memory : cc_status_failure;
    }
    for (uint32_t y = 0; y < rows.row_count; y++) {
        uint8_t *row = rows.bytes + y * rows.row_byte_count;
        for (uint32_t x = 0; x < width; x++) {
            memcpy(line + x * 4, row + x * bytes_per_pixel, 3);
            line[x * 4 + 3] = inks->levels[(size_t)y * width + x];
        }
        if (inks->color != NULL) {
            cc_color_apply(inks->color, line, mixed, width);
        } else {
            for (uint32_t x = 0; x < width; x++) mix(line + x * 4, mixed + x * 3);
        }
        for (uint32_t x = 0; x < width; x++) memcpy(row + x * bytes_per_pixel, mixed + x * 3, 3);
    }
    free(line);
    return cc_status_ok;
}

void cc_jxl_inks_clear(cc_jxl_inks *inks) {
    free(inks->levels);
    cc_color_close(inks->color);
    *inks = (cc_jxl_inks){0};
}

#endif
