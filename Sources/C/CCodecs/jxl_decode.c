#ifdef CALOTYPE_JPEGXL

#include "cc_jxl.h"
#include "cc_color.h"
#include "cc_internal.h"
#include "coded_color.h"
#include "jxl_inks.h"

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <stdlib.h>
#include <string.h>

struct cc_jxl_reader {
    JxlDecoder *decoder;
    cc_jxl_purpose purpose;
    int keeps_depth;
    JxlBasicInfo info;
    JxlPixelFormat format;
    /// Owned; NULL if the pixels stay unchanged.
    cc_color_transform *color;
    cc_jxl_inks inks;
    int32_t has_profile;
    /// A code of ITU-T H.273; 2 if it is not named.
    uint32_t transfer;
    /// True if the decoder has the rows of an incomplete frame.
    int has_rows;
    /// The number of bytes that the decoder has consumed.
    size_t used;
};

/// The maximum size of a profile; a larger one is ignored.
enum { profile_byte_count_max = 4 << 20 };

// MARK: - Life

static int events(cc_jxl_purpose purpose) {
    int header = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING;
    return purpose == cc_jxl_purpose_header ? header : header | JXL_DEC_FULL_IMAGE;
}

static int set_up(cc_jxl_reader *reader) {
    reader->decoder = JxlDecoderCreate(NULL);
    if (reader->decoder == NULL) return -1;
    JxlDecoder *decoder = reader->decoder;
    if (JxlDecoderSubscribeEvents(decoder, events(reader->purpose)) != JXL_DEC_SUCCESS) return -1;
    if (JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) != JXL_DEC_SUCCESS) return -1;
    return JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) == JXL_DEC_SUCCESS ? 0 : -1;
}

cc_status cc_jxl_open(
    cc_jxl_purpose purpose, int32_t keeps_depth, cc_jxl_reader **result, cc_message *message) {
    *result = NULL;
    cc_jxl_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    reader->purpose = purpose;
    reader->keeps_depth = keeps_depth;
    if (set_up(reader) != 0) {
        cc_jxl_close(reader);
        cc_write_message(message, "libjxl cannot be initialized");
        return cc_status_out_of_memory;
    }
    *result = reader;
    return cc_status_ok;
}

void cc_jxl_close(cc_jxl_reader *reader) {
    if (reader == NULL) return;
    cc_color_close(reader->color);
    cc_jxl_inks_clear(&reader->inks);
    if (reader->decoder != NULL) JxlDecoderDestroy(reader->decoder);
    free(reader);
}

uint32_t cc_jxl_version(void) {
    return JxlDecoderVersion();
}

// MARK: - Colour

// Up to libjxl 0.8 these functions also have a pixel format parameter, which they ignore.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define JxlDecoderGetColorAsEncodedProfile(decoder, ...) \
    JxlDecoderGetColorAsEncodedProfile(decoder, NULL, __VA_ARGS__)
#define JxlDecoderGetICCProfileSize(decoder, ...) JxlDecoderGetICCProfileSize(decoder, NULL, __VA_ARGS__)
#define JxlDecoderGetColorAsICCProfile(decoder, ...) \
    JxlDecoderGetColorAsICCProfile(decoder, NULL, __VA_ARGS__)
#endif

static int is_srgb(const JxlColorEncoding *encoding) {
    int is_gray = encoding->color_space == JXL_COLOR_SPACE_GRAY;
    return (is_gray || encoding->color_space == JXL_COLOR_SPACE_RGB)
        && encoding->white_point == JXL_WHITE_POINT_D65
        && (is_gray || encoding->primaries == JXL_PRIMARIES_SRGB)
        && encoding->transfer_function == JXL_TRANSFER_FUNCTION_SRGB;
}

static int is_target_srgb(const cc_jxl_reader *reader, JxlColorProfileTarget target) {
    JxlColorEncoding encoding;
    JxlDecoderStatus status = JxlDecoderGetColorAsEncodedProfile(reader->decoder, target, &encoding);
    return status == JXL_DEC_SUCCESS && is_srgb(&encoding);
}

static cc_channels channels_of(const JxlPixelFormat *format) {
    static const cc_channels by_count[] = {
        cc_channels_gray, cc_channels_gray, cc_channels_rgb, cc_channels_rgb, cc_channels_rgba};
    switch (format->data_type) {
    case JXL_TYPE_UINT16: return cc_channels_rgba16;
    case JXL_TYPE_FLOAT16: return cc_channels_rgba_half;
    default: return by_count[format->num_channels];
    }
}

/// PQ and HLG are mapped to the range of sRGB from their stored values: the library's own conversion would
/// clip.
static int open_hdr_transform(cc_jxl_reader *reader) {
    JxlColorEncoding encoding;
    if (JxlDecoderGetColorAsEncodedProfile(reader->decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding)
        != JXL_DEC_SUCCESS) {
        return 0;
    }
    // The library uses the numbers of H.273 for both.
    reader->transfer = (uint32_t)encoding.transfer_function;
    int is_hdr = encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
        || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG;
    int is_color = encoding.color_space == JXL_COLOR_SPACE_RGB;
    if (!is_hdr || !is_color || encoding.white_point != JXL_WHITE_POINT_D65) return 0;
    if (reader->purpose != cc_jxl_purpose_srgb_pixels) return 1;
    uint32_t primaries = encoding.primaries == JXL_PRIMARIES_P3 ? 12 : (uint32_t)encoding.primaries;
    cc_output profile = cc_coded_color_profile(primaries, reader->transfer);
    if (profile.bytes == NULL) return 0;
    cc_color_close(reader->color);
    reader->color = cc_color_open(
        (cc_bytes){profile.bytes, profile.count}, channels_of(&reader->format));
    free(profile.bytes);
    return reader->color != NULL;
}

static void open_transform(cc_jxl_reader *reader) {
    size_t count = 0;
    JxlColorProfileTarget target = JXL_COLOR_PROFILE_TARGET_DATA;
    if (JxlDecoderGetICCProfileSize(reader->decoder, target, &count) != JXL_DEC_SUCCESS) return;
    if (count == 0 || count > profile_byte_count_max) return;
    uint8_t *profile = malloc(count);
    if (profile == NULL) return;
    if (JxlDecoderGetColorAsICCProfile(reader->decoder, target, profile, count) == JXL_DEC_SUCCESS) {
        reader->color = cc_color_open((cc_bytes){profile, count}, channels_of(&reader->format));
    }
    free(profile);
}

/// Inks are always converted to RGB.
static void open_ink_transform(cc_jxl_reader *reader) {
    if (reader->purpose != cc_jxl_purpose_srgb_pixels || reader->inks.color != NULL) return;
    cc_output profile = cc_jxl_profile(reader);
    if (profile.bytes == NULL) return;
    reader->inks.color =
        cc_color_open((cc_bytes){profile.bytes, profile.count}, cc_channels_cmyk_inverted);
    free(profile.bytes);
}

/// Selects the colours of the output. Pixels stored as XYB can be output in any space; by default the library
/// uses that of the file, or linear light if the file has a profile. Other pixels are converted afterwards.
static void settle_colors(cc_jxl_reader *reader) {
    reader->has_profile = !is_target_srgb(reader, JXL_COLOR_PROFILE_TARGET_ORIGINAL);
    reader->transfer = 2;
    if (reader->inks.has_black) return open_ink_transform(reader);
    if (open_hdr_transform(reader) || reader->purpose != cc_jxl_purpose_srgb_pixels) return;
    if (!reader->info.uses_original_profile) {
        JxlColorEncoding srgb;
        JxlColorEncodingSetToSRGB(&srgb, reader->info.num_color_channels == 1);
        JxlDecoderSetPreferredColorProfile(reader->decoder, &srgb);
    }
    if (reader->color == NULL && !is_target_srgb(reader, JXL_COLOR_PROFILE_TARGET_DATA)) {
        open_transform(reader);
    }
}

cc_status cc_jxl_convert(const cc_jxl_reader *reader, cc_rows rows) {
    uint32_t width = reader->info.xsize;
    if (rows.row_count != reader->info.ysize) return cc_status_failure;
    if (reader->inks.has_black) {
        return cc_jxl_inks_convert(&reader->inks, width, reader->format.num_channels, rows);
    }
    if (reader->color == NULL) return cc_status_ok;
    for (uint32_t i = 0; i < rows.row_count; i++) {
        uint8_t *row = rows.bytes + i * rows.row_byte_count;
        cc_color_apply(reader->color, row, row, width);
    }
    return cc_status_ok;
}

// MARK: - Header

static cc_status note_info(cc_jxl_reader *reader, cc_message *message) {
    JxlBasicInfo *info = &reader->info;
    if (JxlDecoderGetBasicInfo(reader->decoder, info) != JXL_DEC_SUCCESS) {
        cc_write_message(message, "the header cannot be read");
        return cc_status_corrupt;
    }
    uint32_t channels = info->alpha_bits > 0 ? 4 : info->num_color_channels == 1 ? 1 : 3;
    JxlDataType type = JXL_TYPE_UINT8;
    cc_jxl_inks_find(&reader->inks, reader->decoder, info->num_extra_channels);
    if (reader->inks.has_black) {
        channels = info->alpha_bits > 0 ? 4 : 3;
    } else if (reader->keeps_depth && info->exponent_bits_per_sample > 0) {
        type = JXL_TYPE_FLOAT16;
    } else if (reader->keeps_depth && info->bits_per_sample > 8) {
        type = JXL_TYPE_UINT16;
    }
    if (type != JXL_TYPE_UINT8) channels = 4;
    reader->format = (JxlPixelFormat){channels, type, JXL_NATIVE_ENDIAN, 0};
    return cc_status_ok;
}

/// Returns the codes of the pixels' colours, for which the library has its own numbers.
static void name_colors(const cc_jxl_reader *reader, cc_jxl_header *header) {
    JxlColorEncoding encoding;
    if (JxlDecoderGetColorAsEncodedProfile(reader->decoder, JXL_COLOR_PROFILE_TARGET_DATA, &encoding)
            != JXL_DEC_SUCCESS
        || encoding.white_point != JXL_WHITE_POINT_D65
        || encoding.transfer_function == JXL_TRANSFER_FUNCTION_GAMMA
        || encoding.transfer_function == JXL_TRANSFER_FUNCTION_UNKNOWN) {
        return;
    }
    int is_gray = encoding.color_space == JXL_COLOR_SPACE_GRAY;
    if (!is_gray && encoding.color_space != JXL_COLOR_SPACE_RGB) return;
    if (!is_gray && encoding.primaries == JXL_PRIMARIES_CUSTOM) return;
    uint32_t primaries = is_gray ? 1 : (uint32_t)encoding.primaries;
    header->pixel_primaries = primaries == JXL_PRIMARIES_P3 ? 12 : primaries;
    header->pixel_transfer = (uint32_t)encoding.transfer_function;
}

cc_output cc_jxl_profile(const cc_jxl_reader *reader) {
    cc_output output = {NULL, 0};
    size_t count = 0;
    JxlColorProfileTarget target = JXL_COLOR_PROFILE_TARGET_DATA;
    if (JxlDecoderGetICCProfileSize(reader->decoder, target, &count) != JXL_DEC_SUCCESS) return output;
    if (count == 0 || count > profile_byte_count_max) return output;
    output.bytes = malloc(count);
    if (output.bytes == NULL) return output;
    output.count = count;
    if (JxlDecoderGetColorAsICCProfile(reader->decoder, target, output.bytes, count) == JXL_DEC_SUCCESS) {
        return output;
    }
    free(output.bytes);
    return (cc_output){NULL, 0};
}

/// Runs the decoder up to `wanted`, and handles events before it.
static cc_status advance(
    cc_jxl_reader *reader, cc_bytes file, JxlDecoderStatus wanted, cc_message *message);

cc_status cc_jxl_read_header(
    cc_jxl_reader *reader, cc_bytes file, cc_jxl_header *header, cc_message *message) {
    cc_status status = advance(reader, file, JXL_DEC_COLOR_ENCODING, message);
    if (status != cc_status_ok) return status;
    const JxlBasicInfo *info = &reader->info;
    *header = (cc_jxl_header){
        .width = info->xsize,
        .height = info->ysize,
        .orientation = (int32_t)info->orientation,
        .channel_count = info->num_color_channels + info->num_extra_channels,
        .has_alpha = info->alpha_bits > 0,
        .has_black = reader->inks.has_black,
        .bytes_per_pixel = reader->format.num_channels * (reader->format.data_type == JXL_TYPE_UINT8 ? 1 : 2),
        .is_float = reader->format.data_type == JXL_TYPE_FLOAT16,
        .is_animated = info->have_animation != 0,
        .loop_count = info->animation.num_loops,
        .tick_count = info->animation.tps_numerator,
        .tick_seconds = info->animation.tps_denominator,
        .has_profile = reader->has_profile,
        .transfer = reader->transfer,
        .bit_depth = info->bits_per_sample,
        .is_xyb = info->uses_original_profile == 0,
        .extra_channel_count = info->num_extra_channels,
        .has_timecodes = info->have_animation && info->animation.have_timecodes,
        .preview_width = info->have_preview ? info->preview.xsize : 0,
        .preview_height = info->have_preview ? info->preview.ysize : 0,
        .byte_count = reader->used,
    };
    name_colors(reader, header);
    return cc_status_ok;
}

// MARK: - Steps

static cc_status advance_set(
    cc_jxl_reader *reader, JxlDecoderStatus wanted, cc_message *message) {
    for (;;) {
        if (cc_is_stopped()) return cc_status_stopped;
        JxlDecoderStatus status = JxlDecoderProcessInput(reader->decoder);
        if (status == JXL_DEC_BASIC_INFO) {
            cc_status noted = note_info(reader, message);
            if (noted != cc_status_ok) return noted;
        } else if (status == JXL_DEC_COLOR_ENCODING) {
            settle_colors(reader);
        }
        if (status == wanted) return cc_status_ok;
        switch (status) {
        case JXL_DEC_BASIC_INFO:
        case JXL_DEC_COLOR_ENCODING: break;
        case JXL_DEC_NEED_MORE_INPUT:
            cc_write_message(message, "the file ends before the image is complete");
            return cc_status_truncated;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: return cc_status_failure;
        case JXL_DEC_SUCCESS:
            cc_write_message(message, "the image ends before its last frame");
            return cc_status_corrupt;
        default:
            cc_write_message(message, "libjxl reports a damaged image");
            return cc_status_corrupt;
        }
    }
}

static cc_status advance(
    cc_jxl_reader *reader, cc_bytes file, JxlDecoderStatus wanted, cc_message *message) {
    size_t rest = file.count - reader->used;
    if (JxlDecoderSetInput(reader->decoder, file.start + reader->used, rest) != JXL_DEC_SUCCESS) {
        return cc_status_failure;
    }
    cc_status status = advance_set(reader, wanted, message);
    reader->used = file.count - JxlDecoderReleaseInput(reader->decoder);
    return status;
}

// MARK: - Pixels

static cc_status give_rows(cc_jxl_reader *reader, cc_rows rows, cc_message *message) {
    size_t needed = 0;
    size_t room = rows.row_byte_count * rows.row_count;
    if (JxlDecoderImageOutBufferSize(reader->decoder, &reader->format, &needed) == JXL_DEC_SUCCESS
        && needed == room
        && JxlDecoderSetImageOutBuffer(reader->decoder, &reader->format, rows.bytes, room)
            == JXL_DEC_SUCCESS) {
        return cc_jxl_inks_receive(&reader->inks, reader->decoder, &reader->info);
    }
    cc_write_message(message, "the buffer size does not match the image");
    return cc_status_failure;
}

cc_status cc_jxl_read_frame(cc_jxl_reader *reader, cc_bytes file, cc_rows rows, cc_message *message) {
    if (!reader->has_rows) {
        cc_status status = advance(reader, file, JXL_DEC_NEED_IMAGE_OUT_BUFFER, message);
        if (status == cc_status_ok) status = give_rows(reader, rows, message);
        if (status != cc_status_ok) return status;
        reader->has_rows = 1;
    }
    cc_status status = advance(reader, file, JXL_DEC_FULL_IMAGE, message);
    if (status == cc_status_ok) reader->has_rows = 0;
    return status;
}

int32_t cc_jxl_show(cc_jxl_reader *reader) {
    // XYB has a coarse preview first. For other pixels it is unknown which of them have arrived.
    return reader->has_rows && !reader->info.uses_original_profile
        && JxlDecoderFlushImage(reader->decoder) == JXL_DEC_SUCCESS;
}

cc_status cc_jxl_move(cc_jxl_reader *reader, uint32_t index, cc_message *message) {
    // JxlDecoderRewind with JxlDecoderSkipFrames finds no frame after the last has been read; libjxl 0.7.0.
    JxlDecoderDestroy(reader->decoder);
    reader->used = 0;
    reader->has_rows = 0;
    if (set_up(reader) != 0) {
        cc_write_message(message, "libjxl cannot be initialized");
        return cc_status_out_of_memory;
    }
    JxlDecoderSkipFrames(reader->decoder, index);
    return cc_status_ok;
}

#endif
