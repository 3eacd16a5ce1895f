#include "cbaselines.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const uint8_t *rest;
    size_t count;
} source;

static int read_bytes(GifFileType *gif, GifByteType *target, int wanted) {
    source *from = gif->UserData;
    size_t count = (size_t)wanted < from->count ? (size_t)wanted : from->count;
    memcpy(target, from->rest, count);
    from->rest += count;
    from->count -= count;
    return (int)count;
}

/// The first frame, of all colours and as large as the screen: what is slurped, looked up in its colours.
int cb_gif_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    source from = {file, count};
    int code = 0;
    GifFileType *gif = DGifOpen(&from, read_bytes, &code);
    if (gif == NULL) return 0;
    int is_done = DGifSlurp(gif) == GIF_OK && gif->ImageCount > 0
        && cb_picture_make(picture, (uint32_t)gif->SWidth, (uint32_t)gif->SHeight, 3);
    if (is_done) {
        const SavedImage *image = &gif->SavedImages[0];
        const ColorMapObject *map = image->ImageDesc.ColorMap ? image->ImageDesc.ColorMap : gif->SColorMap;
        size_t pixel_count = (size_t)gif->SWidth * (size_t)gif->SHeight;
        uint8_t *target = picture->bytes;
        for (size_t i = 0; i < pixel_count; i++, target += 3) {
            GifColorType color = map->Colors[image->RasterBits[i]];
            target[0] = color.Red;
            target[1] = color.Green;
            target[2] = color.Blue;
        }
    }
    DGifCloseFile(gif, &code);
    return is_done;
}

// MARK: - Encoding

typedef struct target {
    cb_file *file;
    size_t room;
} target;

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int count) {
    target *to = gif->UserData;
    cb_file *file = to->file;
    if (to->room - file->count < (size_t)count) {
        to->room = (to->room + (size_t)count) * 2;
        file->bytes = realloc(file->bytes, to->room);
        if (file->bytes == NULL) return 0;
    }
    memcpy(file->bytes + file->count, bytes, (size_t)count);
    file->count += (size_t)count;
    return count;
}

static int write_lines(GifFileType *gif, int width, int height, ColorMapObject *map, GifByteType *pixels) {
    int is_done = EGifPutScreenDesc(gif, width, height, 8, 0, map) == GIF_OK
        && EGifPutImageDesc(gif, 0, 0, width, height, false, NULL) == GIF_OK;
    for (int y = 0; is_done && y < height; y++) {
        is_done = EGifPutLine(gif, pixels + (size_t)y * (size_t)width, width) == GIF_OK;
    }
    return is_done;
}

int cb_gif_encode(const cb_picture *picture, int color_count, cb_file *file) {
    *file = (cb_file){NULL, 0};
    size_t pixel_count = (size_t)picture->width * picture->height;
    GifByteType *planes = malloc(pixel_count * 4);
    ColorMapObject *map = GifMakeMapObject(color_count, NULL);
    if (planes == NULL || map == NULL) return 0;
    GifByteType *indexes = planes + pixel_count * 3;
    for (size_t i = 0; i < pixel_count; i++) {
        for (size_t channel = 0; channel < 3; channel++) {
            planes[channel * pixel_count + i] = picture->bytes[i * picture->bytes_per_pixel + channel];
        }
    }
    int is_done = GifQuantizeBuffer(
                      picture->width, picture->height, &color_count, planes, planes + pixel_count,
                      planes + pixel_count * 2, indexes, map->Colors)
        == GIF_OK;
    target to = {file, 0};
    int code = 0;
    GifFileType *gif = is_done ? EGifOpen(&to, write_bytes, &code) : NULL;
    is_done = gif != NULL && write_lines(gif, (int)picture->width, (int)picture->height, map, indexes);
    if (gif != NULL) is_done = EGifCloseFile(gif, &code) == GIF_OK && is_done;
    GifFreeMapObject(map);
    free(planes);
    return is_done;
}
