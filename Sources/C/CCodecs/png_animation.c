#include "png_writer.h"

#include <stdlib.h>
#include <string.h>

struct cc_png_animation {
    cc_png_writer writer;
    cc_png_encoding encoding;
    uint32_t frame_count;
    uint32_t play_count;
    uint32_t sequence_number;
    /// The previous frame; NULL before the first.
    uint8_t *canvas;
    /// The current frame, encoded as a file of its own, and its rectangle without padding.
    cc_output file;
    uint8_t *cropped;
};

typedef struct rectangle {
    uint32_t x, y, width, height;
} rectangle;

// MARK: - Changes

/// Returns the number of equal pixels at the start of two rows; at most `count`.
static uint32_t equal_at_start(const uint8_t *left, const uint8_t *right, uint32_t count, uint32_t size) {
    size_t byte = 0, byte_count = (size_t)count * size;
    while (byte < byte_count && left[byte] == right[byte]) byte++;
    return (uint32_t)(byte / size);
}

/// Returns the number of equal pixels at the end of rows of `count` pixels.
static uint32_t equal_at_end(const uint8_t *left, const uint8_t *right, uint32_t count, uint32_t size) {
    size_t byte_count = (size_t)count * size, byte = byte_count;
    while (byte > 0 && left[byte - 1] == right[byte - 1]) byte--;
    return (uint32_t)((byte_count - byte) / size);
}

/// Returns the smallest rectangle that contains all differences; one pixel for equal images, since a frame
/// cannot be empty.
static rectangle changed(const uint8_t *before, const cc_pixels *pixels) {
    uint32_t width = pixels->width, size = pixels->bytes_per_pixel;
    size_t row_byte_count = (size_t)width * size;
    uint32_t left = width, right = width, top = pixels->height, bottom = 0;
    for (uint32_t y = 0; y < pixels->height; y++) {
        const uint8_t *old = before + y * row_byte_count, *new = pixels->bytes + y * row_byte_count;
        if (memcmp(old, new, row_byte_count) == 0) continue;
        if (bottom == 0) top = y;
        bottom = y + 1;
        uint32_t at_start = equal_at_start(old, new, width, size);
        uint32_t at_end = equal_at_end(old, new, width, size);
        if (at_start < left) left = at_start;
        if (at_end < right) right = at_end;
    }
    if (bottom == 0) return (rectangle){0, 0, 1, 1};
    return (rectangle){left, top, width - right - left, bottom - top};
}

static cc_status crop(
    cc_png_animation *animation, const cc_pixels *pixels, rectangle part, cc_pixels *result) {
    size_t row_byte_count = (size_t)pixels->width * pixels->bytes_per_pixel;
    size_t part_byte_count = (size_t)part.width * pixels->bytes_per_pixel;
    animation->cropped = malloc(part_byte_count * part.height);
    if (animation->cropped == NULL) return cc_status_out_of_memory;
    const uint8_t *start = pixels->bytes + part.y * row_byte_count + (size_t)part.x * pixels->bytes_per_pixel;
    for (uint32_t y = 0; y < part.height; y++) {
        memcpy(animation->cropped + y * part_byte_count, start + y * row_byte_count, part_byte_count);
    }
    *result = (cc_pixels){animation->cropped, part.width, part.height, pixels->bytes_per_pixel};
    return cc_status_ok;
}

// MARK: - Chunks

static void write_control(cc_png_animation *animation) {
    uint8_t control[8];
    png_save_uint_32(control, animation->frame_count);
    png_save_uint_32(control + 4, animation->play_count);
    png_write_chunk(animation->writer.png, (png_const_bytep) "acTL", control, sizeof control);
}

/// PNG 3 section 11.3.6.2; nothing is disposed of, and the pixels replace the canvas.
static void write_frame_control(
    cc_png_animation *animation, rectangle part, uint16_t numerator, uint16_t denominator) {
    uint8_t control[26] = {0};
    png_save_uint_32(control, animation->sequence_number++);
    png_save_uint_32(control + 4, part.width);
    png_save_uint_32(control + 8, part.height);
    png_save_uint_32(control + 12, part.x);
    png_save_uint_32(control + 16, part.y);
    png_save_uint_16(control + 20, numerator);
    png_save_uint_16(control + 22, denominator);
    png_write_chunk(animation->writer.png, (png_const_bytep) "fcTL", control, sizeof control);
}

static void write_data(
    cc_png_animation *animation, const uint8_t *payload, uint32_t byte_count, int is_first) {
    png_structp png = animation->writer.png;
    if (is_first) {
        png_write_chunk(png, (png_const_bytep) "IDAT", payload, byte_count);
        return;
    }
    uint8_t number[4];
    png_save_uint_32(number, animation->sequence_number++);
    png_write_chunk_start(png, (png_const_bytep) "fdAT", byte_count + 4);
    png_write_chunk_data(png, number, sizeof number);
    png_write_chunk_data(png, payload, byte_count);
    png_write_chunk_end(png);
}

/// Copies a frame's file: the signature and IHDR, 33 bytes, then chunks, of which IDAT is used, then IEND.
static void write_frame(
    cc_png_animation *animation, const cc_pixels *pixels, rectangle part, uint16_t numerator,
    uint16_t denominator) {
    enum { head_byte_count = 33, frame_byte_count = 12 };
    cc_output file = animation->file;
    int is_first = animation->canvas == NULL;
    if (is_first) {
        cc_png_write_bytes(animation->writer.png, file.bytes, head_byte_count);
        write_control(animation);
        cc_png_write_metadata(animation->writer.png, pixels);
    }
    write_frame_control(animation, part, numerator, denominator);
    for (size_t offset = head_byte_count; offset + frame_byte_count < file.count;) {
        uint32_t byte_count = png_get_uint_32(file.bytes + offset);
        if (memcmp(file.bytes + offset + 4, "IDAT", 4) == 0) {
            write_data(animation, file.bytes + offset + 8, byte_count, is_first);
        }
        offset += byte_count + frame_byte_count;
    }
    cc_png_writer_check(&animation->writer);
}

// MARK: - Animation

cc_status cc_png_animation_open(
    const cc_png_encoding *encoding, uint32_t frame_count, uint32_t play_count, cc_png_animation **result) {
    *result = NULL;
    cc_png_animation *animation = calloc(1, sizeof *animation);
    if (animation == NULL) return cc_status_out_of_memory;
    animation->encoding = *encoding;
    animation->encoding.keeps_channels = 1;
    animation->frame_count = frame_count;
    animation->play_count = play_count;
    animation->writer.byte_count_max = encoding->byte_count_max;
    if (setjmp(animation->writer.failure.exit)) {
        cc_status status = animation->writer.failure.status;
        cc_png_animation_close(animation);
        return status;
    }
    cc_png_writer_make(&animation->writer);
    *result = animation;
    return cc_status_ok;
}

static void let_go_of_frame(cc_png_animation *animation) {
    free(animation->file.bytes);
    free(animation->cropped);
    animation->file = (cc_output){NULL, 0};
    animation->cropped = NULL;
}

static cc_status keep(cc_png_animation *animation, const cc_pixels *pixels) {
    size_t byte_count = (size_t)pixels->width * pixels->height * pixels->bytes_per_pixel;
    if (animation->canvas == NULL) animation->canvas = malloc(byte_count);
    if (animation->canvas == NULL) return cc_status_out_of_memory;
    memcpy(animation->canvas, pixels->bytes, byte_count);
    return cc_status_ok;
}

cc_status cc_png_animation_add(
    cc_png_animation *animation, const cc_pixels *pixels, uint16_t numerator, uint16_t denominator,
    cc_message *message) {
    rectangle part = {0, 0, pixels->width, pixels->height};
    cc_pixels source = *pixels;
    if (animation->canvas != NULL) {
        part = changed(animation->canvas, pixels);
        cc_status status = crop(animation, pixels, part, &source);
        if (status != cc_status_ok) return status;
    }
    cc_status status = cc_png_encode(&source, &animation->encoding, &animation->file, message);
    if (status == cc_status_ok) {
        animation->writer.failure.message = message;
        if (setjmp(animation->writer.failure.exit) == 0) {
            write_frame(animation, pixels, part, numerator, denominator);
        }
        status = animation->writer.failure.status;
    }
    let_go_of_frame(animation);
    return status == cc_status_ok ? keep(animation, pixels) : status;
}

cc_status cc_png_animation_finish(cc_png_animation *animation, cc_output *output, cc_message *message) {
    cc_png_writer *writer = &animation->writer;
    *output = (cc_output){NULL, 0};
    writer->failure.message = message;
    if (setjmp(writer->failure.exit)) return writer->failure.status;
    png_write_chunk(writer->png, (png_const_bytep) "IEND", NULL, 0);
    cc_png_writer_check(writer);
    *output = (cc_output){writer->output.bytes, writer->used};
    writer->output = (cc_output){NULL, 0};
    return cc_status_ok;
}

void cc_png_animation_close(cc_png_animation *animation) {
    if (animation == NULL) return;
    let_go_of_frame(animation);
    cc_png_writer_clear(&animation->writer);
    free(animation->writer.output.bytes);
    free(animation->canvas);
    free(animation);
}
