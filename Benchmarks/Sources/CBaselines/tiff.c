#include "cbaselines.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

/// A file in memory, as libtiff asks for one.
typedef struct stream {
    uint8_t *bytes;
    size_t count;
    size_t room;
    size_t place;
} stream;

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t wanted) {
    stream *file = handle;
    size_t left = file->place < file->count ? file->count - file->place : 0;
    size_t count = (size_t)wanted < left ? (size_t)wanted : left;
    memcpy(target, file->bytes + file->place, count);
    file->place += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *source, tmsize_t wanted) {
    stream *file = handle;
    size_t end = file->place + (size_t)wanted;
    if (end > file->room) {
        file->room = end * 2;
        file->bytes = realloc(file->bytes, file->room);
        if (file->bytes == NULL) return -1;
    }
    memcpy(file->bytes + file->place, source, (size_t)wanted);
    file->place = end;
    if (end > file->count) file->count = end;
    return wanted;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    stream *file = handle;
    size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->place : file->count;
    file->place = base + offset;
    return file->place;
}

static int close_stream(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) {
    return ((stream *)handle)->count;
}

static int map(thandle_t handle, void **base, toff_t *size) {
    stream *file = handle;
    *base = file->bytes;
    *size = file->count;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size) {
    (void)handle, (void)base, (void)size;
}

static int read_strips(TIFF *tiff, cb_picture *picture) {
    uint32_t width = 0, height = 0, row_count = 0, step = picture->bytes_per_pixel;
    uint16_t samples = 0, bits = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tiff, TIFFTAG_ROWSPERSTRIP, &row_count);
    TIFFGetField(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    if (samples != step || bits != 8 || TIFFIsTiled(tiff)) return 0;
    if (!cb_picture_make(picture, width, height, step)) return 0;
    size_t strip_byte_count = (size_t)TIFFStripSize(tiff);
    size_t rest = (size_t)width * height * step;
    uint8_t *target = picture->bytes;
    for (uint32_t i = 0; i < TIFFNumberOfStrips(tiff); i++) {
        size_t count = strip_byte_count < rest ? strip_byte_count : rest;
        if (TIFFReadEncodedStrip(tiff, i, target, (tmsize_t)count) < 0) return 0;
        target += count;
        rest -= count;
    }
    return rest == 0;
}

int cb_tiff_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    stream from = {.bytes = (uint8_t *)(uintptr_t)file, .count = count};
    TIFF *tiff = TIFFClientOpen(
        "memory", "r", &from, read_bytes, write_bytes, seek, close_stream, size_of, map, unmap);
    if (tiff == NULL) return 0;
    int is_done = read_strips(tiff, picture);
    TIFFClose(tiff);
    return is_done;
}

static int write_strips(TIFF *tiff, const cb_picture *picture, int compression) {
    // As many rows as libvips puts into one.
    enum { row_count = 128 };
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, picture->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, picture->height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)picture->bytes_per_pixel);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, row_count);
    size_t row_byte_count = (size_t)picture->width * picture->bytes_per_pixel;
    uint8_t *strip = malloc(row_byte_count * row_count);
    int is_done = strip != NULL;
    for (uint32_t y = 0, i = 0; is_done && y < picture->height; y += row_count, i++) {
        uint32_t rows = picture->height - y < row_count ? picture->height - y : row_count;
        // The library works in the bytes that it is given.
        memcpy(strip, picture->bytes + y * row_byte_count, rows * row_byte_count);
        is_done = TIFFWriteEncodedStrip(tiff, i, strip, (tmsize_t)(rows * row_byte_count)) >= 0;
    }
    free(strip);
    return is_done;
}

int cb_tiff_encode(const cb_picture *picture, int compression, cb_file *file) {
    stream to = {0};
    TIFF *tiff = TIFFClientOpen(
        "memory", "w", &to, read_bytes, write_bytes, seek, close_stream, size_of, map, unmap);
    if (tiff == NULL) return 0;
    int is_done = write_strips(tiff, picture, compression);
    TIFFClose(tiff);
    *file = (cb_file){to.bytes, to.count};
    return is_done;
}
