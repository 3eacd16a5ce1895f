#include "cbaselines.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const uint8_t *rest;
    size_t count;
} source;

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    source *from = png_get_io_ptr(png);
    if (count > from->count) png_error(png, "the file ends early");
    memcpy(target, from->rest, count);
    from->rest += count;
    from->count -= count;
}

static void read_picture(png_structp png, png_infop info, source *from, cb_picture *picture) {
    png_set_read_fn(png, from, read_bytes);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    uint32_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    uint32_t channel_count = png_get_channels(png, info);
    if (channel_count != picture->bytes_per_pixel) png_error(png, "another format than is wanted");
    if (!cb_picture_make(picture, width, height, channel_count)) png_error(png, "no memory");
    png_bytep *rows = png_malloc(png, height * sizeof *rows);
    for (uint32_t y = 0; y < height; y++) rows[y] = picture->bytes + (size_t)y * width * channel_count;
    png_read_image(png, rows);
    png_free(png, rows);
    png_read_end(png, NULL);
}

int cb_png_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    source from = {file, count};
    int is_done = setjmp(png_jmpbuf(png)) == 0;
    if (is_done) read_picture(png, info, &from, picture);
    png_destroy_read_struct(&png, &info, NULL);
    return is_done;
}

typedef struct target {
    cb_file *file;
    size_t room;
} target;

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    target *to = png_get_io_ptr(png);
    cb_file *file = to->file;
    if (to->room - file->count < count) {
        to->room = (to->room + count) * 2;
        file->bytes = realloc(file->bytes, to->room);
        if (file->bytes == NULL) png_error(png, "no memory");
    }
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

static void flush(png_structp png) {
    (void)png;
}

static void write_picture(png_structp png, png_infop info, const cb_picture *picture, int level) {
    png_set_compression_level(png, level);
    int type = picture->bytes_per_pixel == 4 ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(
        png, info, picture->width, picture->height, 8, type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    size_t row_byte_count = (size_t)picture->width * picture->bytes_per_pixel;
    for (uint32_t y = 0; y < picture->height; y++) png_write_row(png, picture->bytes + y * row_byte_count);
    png_write_end(png, NULL);
}

int cb_png_encode(const cb_picture *picture, int level, cb_file *file) {
    *file = (cb_file){NULL, 0};
    target to = {file, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    int is_done = setjmp(png_jmpbuf(png)) == 0;
    if (is_done) {
        png_set_write_fn(png, &to, write_bytes, flush);
        write_picture(png, info, picture, level);
    }
    png_destroy_write_struct(&png, &info);
    return is_done;
}
