#ifdef CALOTYPE_AVIF

#include "avif_failure.h"
#include "cc_avif.h"
#include "cc_internal.h"

#include <stdlib.h>
#include <string.h>

struct cc_avif_writer {
    avifEncoder *encoder;
    cc_avif_encoding encoding;
};

/// The distance of key frames, from which decoding can start, so that seeking backwards is cheap.
static const int key_frame_distance = 30;

int32_t cc_avif_writes_play_count(void) {
    return AVIF_VERSION_MAJOR >= 1;
}

static void set_play_count(avifEncoder *encoder, uint32_t play_count) {
#if AVIF_VERSION_MAJOR >= 1
    int is_finite = play_count > 0 && play_count <= INT32_MAX;
    encoder->repetitionCount = is_finite ? (int)play_count - 1 : AVIF_REPETITION_COUNT_INFINITE;
#else
    (void)encoder, (void)play_count;
#endif
}

cc_status cc_avif_writer_open(
    const cc_avif_encoding *encoding, cc_avif_writer **result, cc_message *message) {
    *result = NULL;
    if (avifCodecName(AVIF_CODEC_CHOICE_AOM, AVIF_CODEC_FLAG_CAN_ENCODE) == NULL) {
        cc_write_message(message, "libavif was built without the libaom encoder");
        return cc_status_unsupported;
    }
    cc_avif_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->encoding = *encoding;
    avifEncoder *encoder = writer->encoder = avifEncoderCreate();
    if (encoder == NULL) {
        free(writer);
        return cc_status_out_of_memory;
    }
    int quantizer = encoding->is_lossless ? AVIF_QUANTIZER_LOSSLESS : encoding->quantizer;
    encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
    encoder->maxThreads = 1;
    encoder->speed = encoding->speed;
    encoder->keyframeInterval = key_frame_distance;
    encoder->timescale = 1000;
    set_play_count(encoder, encoding->play_count);
    encoder->minQuantizer = encoder->maxQuantizer = quantizer;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = quantizer;
    *result = writer;
    return cc_status_ok;
}

static avifPixelFormat pixel_format(const cc_avif_encoding *encoding, uint32_t bytes_per_pixel) {
    if (bytes_per_pixel == 1) return AVIF_PIXEL_FORMAT_YUV400;
    if (encoding->is_lossless) return AVIF_PIXEL_FORMAT_YUV444;
    switch (encoding->chroma) {
    case cc_avif_chroma_full: return AVIF_PIXEL_FORMAT_YUV444;
    case cc_avif_chroma_halved_across: return AVIF_PIXEL_FORMAT_YUV422;
    case cc_avif_chroma_halved: return AVIF_PIXEL_FORMAT_YUV420;
    }
    return AVIF_PIXEL_FORMAT_YUV420;
}

static avifResult fill_gray(avifImage *image, const cc_pixels *pixels) {
    avifResult result = avifImageAllocatePlanes(image, AVIF_PLANES_YUV);
    if (result != AVIF_RESULT_OK) return result;
    for (uint32_t y = 0; y < pixels->height; y++) {
        memcpy(
            image->yuvPlanes[AVIF_CHAN_Y] + (size_t)y * image->yuvRowBytes[AVIF_CHAN_Y],
            pixels->bytes + (size_t)y * pixels->width, pixels->width);
    }
    return AVIF_RESULT_OK;
}

static avifResult fill_colors(avifImage *image, const cc_pixels *pixels) {
    avifRGBImage source;
    avifRGBImageSetDefaults(&source, image);
    source.depth = pixels->bytes_per_pixel == 8 ? 16 : 8;
    source.format = pixels->bytes_per_pixel >= 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    // libavif only reads through this pointer.
    source.pixels = (uint8_t *)(uintptr_t)pixels->bytes;
    source.rowBytes = pixels->width * pixels->bytes_per_pixel;
    return avifImageRGBToYUV(image, &source);
}

/// Sets the colours of the pixels: their profile, or code points.
static avifResult set_colors(avifImage *image, const cc_pixels *pixels) {
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    if (pixels->primaries > 0) {
        image->colorPrimaries = (avifColorPrimaries)pixels->primaries;
        image->transferCharacteristics = (avifTransferCharacteristics)pixels->transfer;
    }
    if (pixels->profile.start == NULL) return AVIF_RESULT_OK;
#if AVIF_VERSION_MAJOR >= 1
    return avifImageSetProfileICC(image, pixels->profile.start, pixels->profile.count);
#else
    avifImageSetProfileICC(image, pixels->profile.start, pixels->profile.count);
    return image->icc.size == pixels->profile.count ? AVIF_RESULT_OK : AVIF_RESULT_OUT_OF_MEMORY;
#endif
}

/// The Exif of an animation is that of its first frame.
static avifResult set_exif(avifImage *image, cc_bytes exif) {
    if (exif.count == 0) return AVIF_RESULT_OK;
#if AVIF_VERSION_MAJOR >= 1
    return avifImageSetMetadataExif(image, exif.start, exif.count);
#else
    avifImageSetMetadataExif(image, exif.start, exif.count);
    return image->exif.size == exif.count ? AVIF_RESULT_OK : AVIF_RESULT_OUT_OF_MEMORY;
#endif
}

static avifResult set_xmp(avifImage *image, cc_bytes xmp) {
    if (xmp.count == 0) return AVIF_RESULT_OK;
#if AVIF_VERSION_MAJOR >= 1
    return avifImageSetMetadataXMP(image, xmp.start, xmp.count);
#else
    avifImageSetMetadataXMP(image, xmp.start, xmp.count);
    return image->xmp.size == xmp.count ? AVIF_RESULT_OK : AVIF_RESULT_OUT_OF_MEMORY;
#endif
}

/// Full range; RGB without conversion for lossless.
static avifImage *make_image(const cc_avif_encoding *encoding, const cc_pixels *pixels, avifResult *result) {
    avifPixelFormat format = pixel_format(encoding, pixels->bytes_per_pixel);
    avifImage *image = avifImageCreate(
        pixels->width, pixels->height, pixels->bytes_per_pixel == 8 ? (uint32_t)encoding->bit_depth : 8,
        format);
    *result = AVIF_RESULT_OUT_OF_MEMORY;
    if (image == NULL) return NULL;
    int is_plain = encoding->is_lossless && pixels->bytes_per_pixel > 1;
    image->yuvRange = AVIF_RANGE_FULL;
    *result = set_colors(image, pixels);
    if (*result == AVIF_RESULT_OK) *result = set_exif(image, pixels->exif);
    if (*result == AVIF_RESULT_OK) *result = set_xmp(image, pixels->xmp);
    if (*result != AVIF_RESULT_OK) return image;
    image->matrixCoefficients =
        is_plain ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
    *result = pixels->bytes_per_pixel == 1 ? fill_gray(image, pixels) : fill_colors(image, pixels);
    return image;
}

/// libaom 3.6 loses single alpha samples in lossless predicted frames, but not in key frames.
static avifAddImageFlags frame_flags(const cc_avif_encoding *encoding, const cc_pixels *pixels) {
    if (encoding->is_still) return AVIF_ADD_IMAGE_FLAG_SINGLE;
    int stands_alone = encoding->is_lossless && pixels->bytes_per_pixel >= 4;
    return stands_alone ? AVIF_ADD_IMAGE_FLAG_FORCE_KEYFRAME : AVIF_ADD_IMAGE_FLAG_NONE;
}

cc_status cc_avif_writer_add(
    cc_avif_writer *writer, const cc_pixels *pixels, uint64_t milliseconds, cc_message *message) {
    avifResult result;
    avifImage *image = make_image(&writer->encoding, pixels, &result);
    if (result == AVIF_RESULT_OK) {
        avifAddImageFlags flags = frame_flags(&writer->encoding, pixels);
        result = avifEncoderAddImage(writer->encoder, image, milliseconds, flags);
    }
    if (image != NULL) avifImageDestroy(image);
    return cc_avif_status(result, &writer->encoder->diag, message);
}

cc_status cc_avif_writer_finish(cc_avif_writer *writer, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    avifRWData file = AVIF_DATA_EMPTY;
    avifResult result = avifEncoderFinish(writer->encoder, &file);
    cc_status status = cc_avif_status(result, &writer->encoder->diag, message);
    if (status == cc_status_ok && file.size > writer->encoding.byte_count_max) {
        cc_write_message(message, "the result is too large");
        status = cc_status_limit_exceeded;
    }
    if (status == cc_status_ok) {
        output->bytes = malloc(file.size);
        output->count = file.size;
        if (output->bytes == NULL) status = cc_status_out_of_memory;
    }
    if (status == cc_status_ok) memcpy(output->bytes, file.data, file.size);
    avifRWDataFree(&file);
    return status;
}

void cc_avif_writer_close(cc_avif_writer *writer) {
    if (writer == NULL) return;
    avifEncoderDestroy(writer->encoder);
    free(writer);
}

#endif
