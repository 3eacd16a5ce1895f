#ifdef CALOTYPE_AVIF

#include "avif_failure.h"
#include "avif_pixels.h"
#include "cc_avif.h"
#include "cc_internal.h"
#include "coded_color.h"

#include <stdlib.h>
#include <string.h>

struct cc_avif_reader {
    avifDecoder *decoder;
    cc_avif_header header;
    /// For colours given by code points.
    cc_output coded_profile;
};

// MARK: - Header

static uint32_t at_most(uint64_t value, uint32_t limit) {
    return value < limit ? (uint32_t)value : limit;
}

static void set_limits(avifDecoder *decoder, const cc_avif_limits *limits) {
    decoder->maxThreads = 1;
    decoder->ignoreExif = AVIF_TRUE;
    decoder->ignoreXMP = AVIF_TRUE;
    // Lenient like browsers: old writers omitted parts that the strict flags require.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    decoder->imageSizeLimit = at_most(limits->pixel_count_max, AVIF_DEFAULT_IMAGE_SIZE_LIMIT);
    // The maximum side of a frame of AV1.
    decoder->imageDimensionLimit = 65536;
    decoder->imageCountLimit = at_most(limits->frame_count_max, UINT32_MAX);
}

/// Reads the clean aperture, which may lie between chroma samples, since pixels are cropped, not samples. An
/// aperture with fractions, or outside the image, is ignored, as in browsers.
static void read_crop(const avifImage *image, cc_avif_header *header) {
    header->crop_width = image->width;
    header->crop_height = image->height;
    if ((image->transformFlags & AVIF_TRANSFORM_CLAP) == 0) return;
    avifCropRect crop;
    avifDiagnostics diagnostics;
    avifDiagnosticsClearError(&diagnostics);
    if (!avifCropRectConvertCleanApertureBox(
            &crop, &image->clap, image->width, image->height, AVIF_PIXEL_FORMAT_YUV444, &diagnostics)) {
        return;
    }
    header->crop_x = crop.x;
    header->crop_y = crop.y;
    header->crop_width = crop.width;
    header->crop_height = crop.height;
}

/// 0 swaps top and bottom, 1 left and right: named `axis` since libavif 1.0.
static int mirror_axis(const avifImage *image) {
#if AVIF_VERSION_MAJOR >= 1
    return image->imir.axis & 1;
#else
    return image->imir.mode & 1;
#endif
}

static void read_transforms(const avifImage *image, cc_avif_header *header) {
    read_crop(image, header);
    if ((image->transformFlags & AVIF_TRANSFORM_IROT) != 0) header->quarter_turns = image->irot.angle & 3;
    if ((image->transformFlags & AVIF_TRANSFORM_IMIR) != 0) header->mirror = 1 + mirror_axis(image);
}

static void read_profile(cc_avif_reader *reader) {
    const avifImage *image = reader->decoder->image;
    cc_avif_header *header = &reader->header;
    header->has_profile = image->icc.size > 0;
    header->bit_depth = image->depth;
    header->transfer = header->has_profile ? AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED
                                           : image->transferCharacteristics;
    header->primaries =
        header->has_profile ? AVIF_COLOR_PRIMARIES_UNSPECIFIED : image->colorPrimaries;
    if (header->has_profile) {
        header->profile = (cc_bytes){image->icc.data, image->icc.size};
        return;
    }
    reader->coded_profile = cc_coded_color_profile(image->colorPrimaries, image->transferCharacteristics);
    header->profile = (cc_bytes){reader->coded_profile.bytes, reader->coded_profile.count};
}

static void read_header(cc_avif_reader *reader) {
    const avifDecoder *decoder = reader->decoder;
    cc_avif_header *header = &reader->header;
    header->width = decoder->image->width;
    header->height = decoder->image->height;
    header->frame_count = (uint32_t)decoder->imageCount;
    header->is_sequence = decoder->imageCount > 1;
    header->has_alpha = decoder->alphaPresent != 0;
    int is_gray = decoder->image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    header->bytes_per_pixel = header->has_alpha ? 4 : is_gray ? 1 : 3;
    read_transforms(decoder->image, header);
    read_profile(reader);
}

/// Limits the frames of a sequence to the size in the header: libavif would decode a larger one and scale it
/// down. The AV1 decoder receives this limit on creation, when libavif is reset.
static avifResult limit_frames(avifDecoder *decoder) {
    uint64_t pixel_count = (uint64_t)decoder->image->width * decoder->image->height;
    decoder->imageSizeLimit = at_most(pixel_count, decoder->imageSizeLimit);
    return avifDecoderReset(decoder);
}

static cc_status parse(
    cc_avif_reader *reader, cc_bytes file, const cc_avif_limits *limits, cc_message *message) {
    avifDecoder *decoder = reader->decoder;
    set_limits(decoder, limits);
    avifResult result = avifDecoderSetIOMemory(decoder, file.start, file.count);
    if (result == AVIF_RESULT_OK) result = avifDecoderParse(decoder);
    if (result == AVIF_RESULT_OK && decoder->imageCount > 1) result = limit_frames(decoder);
    if (result != AVIF_RESULT_OK) return cc_avif_status(result, &decoder->diag, message);
    read_header(reader);
    return cc_status_ok;
}

cc_status cc_avif_open(
    cc_bytes file, const cc_avif_limits *limits, cc_avif_reader **result, cc_avif_header *header,
    cc_message *message) {
    *result = NULL;
    cc_avif_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    reader->decoder = avifDecoderCreate();
    cc_status status =
        reader->decoder == NULL ? cc_status_out_of_memory : parse(reader, file, limits, message);
    if (status != cc_status_ok) {
        cc_avif_close(reader);
        return status;
    }
    *header = reader->header;
    *result = reader;
    return cc_status_ok;
}

int32_t cc_avif_is_key_frame(const cc_avif_reader *reader, uint32_t index) {
    return avifDecoderIsKeyframe(reader->decoder, index) != 0;
}

void cc_avif_close(cc_avif_reader *reader) {
    if (reader == NULL) return;
    if (reader->decoder != NULL) avifDecoderDestroy(reader->decoder);
    free(reader->coded_profile.bytes);
    free(reader);
}

// MARK: - Pixels

/// Checks that the AV1 stream matches the boxes.
static cc_status check_frame(
    const cc_avif_reader *reader, uint32_t bytes_per_pixel, cc_rows rows, cc_message *message) {
    const avifImage *image = reader->decoder->image;
    const cc_avif_header *header = &reader->header;
    if (image->width != header->width || image->height != header->height) {
        cc_write_message(
            message, "the frame has %u × %u pixels, the header says %u × %u", image->width, image->height,
            header->width, header->height);
        return cc_status_corrupt;
    }
    if (header->bytes_per_pixel == 1 && image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400) {
        cc_write_message(message, "the frame has colours, the header says gray");
        return cc_status_corrupt;
    }
    if (image->yuvPlanes[AVIF_CHAN_Y] == NULL || (header->has_alpha && image->alphaPlane == NULL)) {
        cc_write_message(message, "the frame lacks a plane that the header names");
        return cc_status_corrupt;
    }
    size_t row_byte_count = (size_t)header->width * bytes_per_pixel;
    if (rows.row_count == header->height && rows.row_byte_count == row_byte_count) return cc_status_ok;
    cc_write_message(message, "the buffer size does not match the image");
    return cc_status_failure;
}

cc_status cc_avif_decode(
    cc_avif_reader *reader, uint32_t index, int32_t keeps_depth, const cc_color_transform *color,
    cc_rows rows, cc_message *message) {
    uint32_t bytes_per_pixel = keeps_depth ? 8 : reader->header.bytes_per_pixel;
    avifDecoder *decoder = reader->decoder;
    avifResult result = avifDecoderNthImage(decoder, index);
    if (result != AVIF_RESULT_OK) return cc_avif_status(result, &decoder->diag, message);
    cc_status status = check_frame(reader, bytes_per_pixel, rows, message);
    if (status != cc_status_ok) return status;
    result = cc_avif_write_rows(decoder->image, bytes_per_pixel, rows);
    if (result != AVIF_RESULT_OK) return cc_avif_status(result, &decoder->diag, message);
    for (uint32_t y = 0; color != NULL && y < rows.row_count; y++) {
        uint8_t *row = rows.bytes + (size_t)y * rows.row_byte_count;
        cc_color_apply(color, row, row, reader->header.width);
    }
    return cc_status_ok;
}

#endif
