#ifdef CALOTYPE_GIF

#include "cc_gif.h"
#include "cc_internal.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

const uint32_t cc_gif_side_max = 65535;

/// A file of one frame for giflib: a generated header, without colours, then the codes of the frame.
typedef struct cc_gif_input {
    uint8_t head[23];
    size_t head_used;
    cc_bytes codes;
} cc_gif_input;

// MARK: - Input

static void write_16(uint8_t *target, uint32_t value) {
    target[0] = (uint8_t)value;
    target[1] = (uint8_t)(value >> 8);
}

/// Writes the signature, a screen and the descriptor. The frame is declared as not interlaced: rows are
/// placed here.
static void write_head(cc_gif_input *input, const cc_gif_frame *frame) {
    memcpy(input->head, "GIF89a", 6);
    write_16(input->head + 6, frame->width);
    write_16(input->head + 8, frame->height);
    input->head[13] = ',';
    write_16(input->head + 18, frame->width);
    write_16(input->head + 20, frame->height);
    input->codes = frame->codes;
}

static int read_bytes(GifFileType *gif, GifByteType *target, int wanted) {
    cc_gif_input *input = gif->UserData;
    size_t byte_count = wanted < 0 ? 0 : (size_t)wanted;
    size_t from_head = sizeof input->head - input->head_used;
    if (from_head > byte_count) from_head = byte_count;
    memcpy(target, input->head + input->head_used, from_head);
    input->head_used += from_head;
    size_t from_codes = byte_count - from_head;
    if (from_codes > input->codes.count) from_codes = input->codes.count;
    if (from_codes > 0) memcpy(target + from_head, input->codes.start, from_codes);
    input->codes.start += from_codes;
    input->codes.count -= from_codes;
    return (int)(from_head + from_codes);
}

static cc_status failure(int code, uint32_t row, uint32_t row_count, cc_message *message) {
    const char *text = GifErrorString(code);
    cc_write_message(
        message, "%s in row %u of %u of a frame", text == NULL ? "failure of giflib" : text, row, row_count);
    switch (code) {
    case D_GIF_ERR_READ_FAILED:
    case D_GIF_ERR_EOF_TOO_SOON: return cc_status_truncated;
    case D_GIF_ERR_NOT_ENOUGH_MEM: return cc_status_out_of_memory;
    default: return cc_status_corrupt;
    }
}

// MARK: - Rows

/// Returns the position of an interlaced frame's row, given its stored index; GIF89a appendix E.
static uint32_t place(uint32_t row, const cc_gif_frame *frame) {
    static const uint32_t starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    if (!frame->is_interlaced) return row;
    for (int pass = 0; pass < 4; pass++) {
        uint32_t above = frame->height > starts[pass] ? frame->height - starts[pass] : 0;
        uint32_t row_count = (above + steps[pass] - 1) / steps[pass];
        if (row < row_count) return starts[pass] + row * steps[pass];
        row -= row_count;
    }
    return frame->height;
}

/// Writes pixels; 0 if one has no colour. `step` is a constant at compile time.
static inline __attribute__((always_inline)) int put_pixels(
    const cc_gif_frame *frame, uint8_t *target, const GifPixelType *line, uint32_t count, uint32_t step) {
    const uint8_t *colors = frame->palette.start;
    int32_t color_count = (int32_t)(frame->palette.count / 3), transparent = frame->transparent_index;
    for (uint32_t x = 0; x < count; x++, target += step) {
        if (line[x] == transparent) continue;
        if (line[x] >= color_count) return 0;
        const uint8_t *color = colors + line[x] * 3;
        target[0] = color[0];
        if (step == 1) continue;
        target[1] = color[1];
        target[2] = color[2];
        if (step == 4) target[3] = 255;
    }
    return 1;
}

/// Writes the pixels of a row that lie on the canvas; 0 if one has no colour.
static int put_row(
    const cc_gif_frame *frame, const cc_gif_canvas *canvas, uint8_t *target, const GifPixelType *line) {
    uint32_t room = canvas->width > frame->left ? canvas->width - frame->left : 0;
    uint32_t count = frame->width < room ? frame->width : room;
    uint32_t step = canvas->bytes_per_pixel;
    target += (size_t)frame->left * step;
    switch (step) {
    case 1: return put_pixels(frame, target, line, count, 1);
    case 3: return put_pixels(frame, target, line, count, 3);
    default: return put_pixels(frame, target, line, count, 4);
    }
}

static cc_status draw_rows(
    GifFileType *gif, const cc_gif_frame *frame, const cc_gif_canvas *canvas, GifPixelType *line,
    cc_message *message) {
    for (uint32_t row = 0; row < frame->height; row++) {
        if (cc_is_stopped()) return cc_status_stopped;
        if (DGifGetLine(gif, line, (int)frame->width) == GIF_ERROR) {
            return failure(gif->Error, row, frame->height, message);
        }
        uint64_t y = (uint64_t)frame->top + place(row, frame);
        if (y >= canvas->rows.row_count || frame->left >= canvas->width) continue;
        uint8_t *target = canvas->rows.bytes + y * canvas->rows.row_byte_count;
        if (!put_row(frame, canvas, target, line)) {
            cc_write_message(
                message, "a pixel has none of the %zu colours of its frame", frame->palette.count / 3);
            return cc_status_corrupt;
        }
    }
    return cc_status_ok;
}

static cc_status draw(
    GifFileType *gif, const cc_gif_frame *frame, const cc_gif_canvas *canvas, cc_message *message) {
    GifRecordType type;
    if (DGifGetRecordType(gif, &type) == GIF_ERROR || DGifGetImageDesc(gif) == GIF_ERROR) {
        return failure(gif->Error, 0, frame->height, message);
    }
    GifPixelType *line = calloc(frame->width, sizeof *line);
    if (line == NULL) return cc_status_out_of_memory;
    cc_status status = draw_rows(gif, frame, canvas, line, message);
    free(line);
    return status;
}

cc_status cc_gif_draw(const cc_gif_frame *frame, const cc_gif_canvas *canvas, cc_message *message) {
    cc_gif_input input = {0};
    write_head(&input, frame);
    int code = 0;
    GifFileType *gif = DGifOpen(&input, read_bytes, &code);
    if (gif == NULL) return failure(code, 0, frame->height, message);
    cc_status status = draw(gif, frame, canvas, message);
    DGifCloseFile(gif, &code);
    return status;
}

#endif
