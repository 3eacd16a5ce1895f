#ifdef CALOTYPE_JPEGXL

#include "cc_internal.h"
#include "cc_jxl.h"

#include <jxl/encode.h>
#include <stdlib.h>

struct cc_jxl_writer {
    JxlEncoder *encoder;
    JxlEncoderFrameSettings *settings;
    cc_jxl_encoding encoding;
    int32_t is_float;
    /// During encoding, `count` is the capacity.
    cc_output output;
    size_t used;
};

/// Durations are written in microseconds.
enum { ticks_per_second = 1000000 };

/// Sets the colours of the pixels: their profile, or code points, for which the library's numbers are nearly
/// those of H.273.
static int set_colors(cc_jxl_writer *writer, const cc_pixels *first) {
    if (first->profile.start != NULL) {
        return JxlEncoderSetICCProfile(writer->encoder, first->profile.start, first->profile.count)
                == JXL_ENC_SUCCESS
            ? 0
            : -1;
    }
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, first->bytes_per_pixel == 1);
    if (first->primaries > 0) {
        color.primaries = first->primaries == 12 ? JXL_PRIMARIES_P3 : (JxlPrimaries)first->primaries;
        color.transfer_function = (JxlTransferFunction)first->transfer;
    }
    return JxlEncoderSetColorEncoding(writer->encoder, &color) == JXL_ENC_SUCCESS ? 0 : -1;
}

static int set_header(cc_jxl_writer *writer, const cc_pixels *first) {
    const cc_jxl_encoding *encoding = &writer->encoding;
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = encoding->width;
    info.ysize = encoding->height;
    info.num_color_channels = encoding->bytes_per_pixel == 1 ? 1 : 3;
    info.num_extra_channels = encoding->bytes_per_pixel >= 4;
    info.alpha_bits = encoding->bytes_per_pixel == 4 ? 8 : encoding->bytes_per_pixel == 8 ? 16 : 0;
    if (encoding->bytes_per_pixel == 8) info.bits_per_sample = 16;
    info.exponent_bits_per_sample = first->is_float ? 5 : 0;
    info.alpha_exponent_bits = first->is_float ? 5 : 0;
    info.uses_original_profile = encoding->is_lossless;
    info.have_animation = encoding->is_animated;
    info.animation.tps_numerator = ticks_per_second;
    info.animation.tps_denominator = 1;
    info.animation.num_loops = encoding->loop_count;
    if (JxlEncoderSetBasicInfo(writer->encoder, &info) != JXL_ENC_SUCCESS) return -1;
    return set_colors(writer, first);
}

static int set_quality(cc_jxl_writer *writer) {
    const cc_jxl_encoding *encoding = &writer->encoding;
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(writer->encoder, NULL);
    writer->settings = settings;
    if (settings == NULL) return -1;
    JxlEncoderStatus status =
        JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, encoding->effort);
    if (status != JXL_ENC_SUCCESS) return -1;
    if (encoding->is_lossless) {
        status = JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    } else {
        status = JxlEncoderSetFrameDistance(settings, encoding->distance);
    }
    return status == JXL_ENC_SUCCESS ? 0 : -1;
}

static cc_status fail(const cc_jxl_writer *writer, cc_message *message) {
    JxlEncoderError error = JxlEncoderGetError(writer->encoder);
    cc_write_message(message, "libjxl: error %d", (int)error);
    return error == JXL_ENC_ERR_OOM ? cc_status_out_of_memory : cc_status_failure;
}

cc_status cc_jxl_begin(
    const cc_jxl_encoding *encoding, const cc_pixels *first, cc_jxl_writer **result, cc_message *message) {
    *result = NULL;
    cc_jxl_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->encoding = *encoding;
    writer->is_float = first->is_float;
    writer->encoder = JxlEncoderCreate(NULL);
    if (writer->encoder == NULL) {
        free(writer);
        return cc_status_out_of_memory;
    }
    if (set_header(writer, first) != 0 || set_quality(writer) != 0) {
        cc_status status = fail(writer, message);
        cc_jxl_abandon(writer);
        return status;
    }
    *result = writer;
    return cc_status_ok;
}

static cc_status drain(cc_jxl_writer *writer, cc_message *message) {
    uint64_t limit = writer->encoding.byte_count_max;
    for (;;) {
        uint8_t *next = writer->output.bytes + writer->used;
        size_t room = writer->output.count - writer->used;
        JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
        if (room > 0) status = JxlEncoderProcessOutput(writer->encoder, &next, &room);
        writer->used = writer->output.count - room;
        if (writer->used > limit) return cc_status_limit_exceeded;
        if (status == JXL_ENC_SUCCESS) return cc_status_ok;
        if (status != JXL_ENC_NEED_MORE_OUTPUT) return fail(writer, message);
        cc_status grown = cc_output_grow(&writer->output, writer->output.count, limit);
        if (grown != cc_status_ok) return grown;
    }
}

static int set_duration(cc_jxl_writer *writer, uint32_t microseconds) {
    if (!writer->encoding.is_animated) return 0;
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    header.duration = microseconds;
    return JxlEncoderSetFrameHeader(writer->settings, &header) == JXL_ENC_SUCCESS ? 0 : -1;
}

cc_status cc_jxl_write_frame(
    cc_jxl_writer *writer, const cc_pixels *pixels, uint32_t microseconds, int32_t is_last,
    cc_message *message) {
    const cc_jxl_encoding *encoding = &writer->encoding;
    if (pixels->width != encoding->width || pixels->height != encoding->height
        || pixels->bytes_per_pixel != encoding->bytes_per_pixel
        || pixels->is_float != writer->is_float) {
        cc_write_message(message, "the frames differ in size or format");
        return cc_status_failure;
    }
    if (set_duration(writer, microseconds) != 0) return fail(writer, message);
    JxlPixelFormat format = {pixels->bytes_per_pixel, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    if (pixels->bytes_per_pixel == 8) {
        format.num_channels = 4;
        format.data_type = pixels->is_float ? JXL_TYPE_FLOAT16 : JXL_TYPE_UINT16;
    }
    size_t byte_count = (size_t)pixels->width * pixels->height * pixels->bytes_per_pixel;
    if (JxlEncoderAddImageFrame(writer->settings, &format, pixels->bytes, byte_count) != JXL_ENC_SUCCESS) {
        return fail(writer, message);
    }
    if (is_last) JxlEncoderCloseInput(writer->encoder);
    return drain(writer, message);
}

void cc_jxl_finish(cc_jxl_writer *writer, cc_output *output) {
    *output = (cc_output){writer->output.bytes, writer->used};
    writer->output = (cc_output){NULL, 0};
}

void cc_jxl_abandon(cc_jxl_writer *writer) {
    if (writer == NULL) return;
    JxlEncoderDestroy(writer->encoder);
    free(writer->output.bytes);
    free(writer);
}

#endif
