#include "cbaselines.h"

#include <avif/avif.h>
#include <stdlib.h>
#include <string.h>

static int convert(const avifImage *image, cb_picture *picture) {
    uint32_t step = picture->bytes_per_pixel;
    if (!cb_picture_make(picture, image->width, image->height, step)) return 0;
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, image);
    pixels.depth = 8;
    pixels.format = step == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    pixels.pixels = picture->bytes;
    pixels.rowBytes = image->width * step;
    return avifImageYUVToRGB(image, &pixels) == AVIF_RESULT_OK;
}

int cb_avif_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    avifDecoder *decoder = avifDecoderCreate();
    if (decoder == NULL) return 0;
    decoder->maxThreads = 1;
    int is_done = avifDecoderSetIOMemory(decoder, file, count) == AVIF_RESULT_OK
        && avifDecoderParse(decoder) == AVIF_RESULT_OK && avifDecoderNextImage(decoder) == AVIF_RESULT_OK
        && convert(decoder->image, picture);
    avifDecoderDestroy(decoder);
    return is_done;
}

static avifImage *import(const cb_picture *picture) {
    avifImage *image = avifImageCreate(picture->width, picture->height, 8, AVIF_PIXEL_FORMAT_YUV420);
    if (image == NULL) return NULL;
    image->yuvRange = AVIF_RANGE_FULL;
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    avifRGBImage source;
    avifRGBImageSetDefaults(&source, image);
    source.format = picture->bytes_per_pixel == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    source.pixels = picture->bytes;
    source.rowBytes = picture->width * picture->bytes_per_pixel;
    if (avifImageRGBToYUV(image, &source) == AVIF_RESULT_OK) return image;
    avifImageDestroy(image);
    return NULL;
}

int cb_avif_encode(const cb_picture *picture, int quantizer, cb_file *file) {
    *file = (cb_file){NULL, 0};
    avifImage *image = import(picture);
    avifEncoder *encoder = avifEncoderCreate();
    avifRWData output = AVIF_DATA_EMPTY;
    int is_done = image != NULL && encoder != NULL;
    if (is_done) {
        encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
        encoder->maxThreads = 1;
        encoder->speed = AVIF_SPEED_FASTEST;
        encoder->minQuantizer = encoder->maxQuantizer = quantizer;
        encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = quantizer;
        is_done = avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK;
    }
    if (is_done) {
        *file = (cb_file){malloc(output.size), output.size};
        memcpy(file->bytes, output.data, output.size);
    }
    avifRWDataFree(&output);
    if (encoder != NULL) avifEncoderDestroy(encoder);
    if (image != NULL) avifImageDestroy(image);
    return is_done;
}
