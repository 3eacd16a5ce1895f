#include "png_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// The signature and IHDR.
    head_byte_count = 33,
    /// A chunk's length, type and checksum.
    frame_byte_count = 12,
};

/// libpng does not support animations: it receives each frame as a file of its own, assembled while it reads.
typedef enum part {
    part_shared,
    part_chunk,
    part_payload,
    part_sum,
    part_end,
    part_nothing,
} part;

struct cc_png_canvas {
    /// First, so that a pointer to it is one to the whole.
    cc_png_reader reader;
    cc_bytes file;
    uint32_t width;
    uint32_t height;
    uint32_t bytes_per_pixel;
    uint8_t *pixels;
    /// The frame drawn last, and the pixels under it if they have to be restored.
    cc_png_frame last;
    uint8_t *saved;

    /// The part that `next_part` returns next.
    part part;
    /// PLTE and tRNS in the order of the file; empty if absent.
    cc_bytes shared[2];
    size_t shared_index;
    /// The offset of the next chunk in the file.
    size_t offset;
    /// The signature and IHDR of the frame's own file.
    uint8_t head[head_byte_count];
    /// The length and type of the chunk that replaces fdAT.
    uint8_t chunk_head[8];
};

// MARK: - Chunks

static uint32_t read_32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_32(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

/// Returns the complete chunk at an offset; empty if it is truncated.
static cc_bytes chunk_at(cc_bytes file, size_t offset) {
    if (offset > file.count || file.count - offset < frame_byte_count) return (cc_bytes){NULL, 0};
    size_t byte_count = (size_t)read_32(file.start + offset) + frame_byte_count;
    if (file.count - offset < byte_count) return (cc_bytes){NULL, 0};
    return (cc_bytes){file.start + offset, byte_count};
}

static int is_type(cc_bytes chunk, const char *type) {
    return memcmp(chunk.start + 4, type, 4) == 0;
}

/// Ignores the suggested palette of an image without indices, as for the default image.
static void find_shared(cc_png_canvas *canvas) {
    enum { color_type_offset = 25 };
    int is_palette = canvas->file.start[color_type_offset] == PNG_COLOR_TYPE_PALETTE;
    size_t found = 0;
    cc_bytes chunk = chunk_at(canvas->file, head_byte_count);
    for (size_t offset = head_byte_count; chunk.count > 0 && found < 2;) {
        if (is_type(chunk, "IDAT") || is_type(chunk, "IEND")) return;
        int is_shared = is_type(chunk, "tRNS") || (is_palette && is_type(chunk, "PLTE"));
        if (is_shared) canvas->shared[found++] = chunk;
        offset += chunk.count;
        chunk = chunk_at(canvas->file, offset);
    }
}

/// Returns the next chunk of pixels: IDAT unchanged, fdAT without its sequence number.
static cc_bytes next_chunk(cc_png_canvas *canvas) {
    static const uint8_t end[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    cc_bytes chunk = chunk_at(canvas->file, canvas->offset);
    while (chunk.count > 0) {
        if (is_type(chunk, "fcTL") || is_type(chunk, "IEND")) {
            canvas->part = part_nothing;
            return (cc_bytes){end, sizeof end};
        }
        canvas->offset += chunk.count;
        if (is_type(chunk, "IDAT")) return chunk;
        if (is_type(chunk, "fdAT") && chunk.count >= frame_byte_count + 4) {
            write_32(canvas->chunk_head, (uint32_t)(chunk.count - frame_byte_count - 4));
            memcpy(canvas->chunk_head + 4, "IDAT", 4);
            canvas->part = part_payload;
            return (cc_bytes){canvas->chunk_head, sizeof canvas->chunk_head};
        }
        chunk = chunk_at(canvas->file, canvas->offset);
    }
    return chunk;
}

static cc_bytes next_part(cc_png_reader *reader) {
    cc_png_canvas *canvas = (cc_png_canvas *)reader;
    static const uint8_t sum[4] = {0};
    cc_bytes chunk;
    switch (canvas->part) {
    case part_shared:
        if (canvas->shared_index < 2 && canvas->shared[canvas->shared_index].count > 0) {
            return canvas->shared[canvas->shared_index++];
        }
        canvas->part = part_chunk;
        return next_chunk(canvas);
    case part_chunk: return next_chunk(canvas);
    case part_payload:
        // The chunk that `offset` has just passed.
        canvas->part = part_sum;
        uint32_t byte_count = read_32(canvas->chunk_head);
        chunk = (cc_bytes){canvas->file.start + canvas->offset - 4 - byte_count, byte_count};
        if (byte_count > 0) return chunk;
        // An empty part would mean the end.
        __attribute__((fallthrough));
    case part_sum: canvas->part = part_chunk; return (cc_bytes){sum, sizeof sum};
    default: return (cc_bytes){NULL, 0};
    }
}

static void start_stream(cc_png_canvas *canvas, const cc_png_frame *frame) {
    memcpy(canvas->head, canvas->file.start, head_byte_count);
    write_32(canvas->head + 16, frame->width);
    write_32(canvas->head + 20, frame->height);
    canvas->part = part_shared;
    canvas->shared_index = 0;
    canvas->offset = frame->offset;
    canvas->reader.rest = (cc_bytes){canvas->head, head_byte_count};
    canvas->reader.next_part = next_part;
}

// MARK: - Canvas

static size_t row_byte_count(const cc_png_canvas *canvas) {
    return (size_t)canvas->width * canvas->bytes_per_pixel;
}

/// Returns the rows of the canvas that a frame covers.
static cc_rows rows_of(const cc_png_canvas *canvas, const cc_png_frame *frame) {
    size_t offset = frame->y * row_byte_count(canvas) + (size_t)frame->x * canvas->bytes_per_pixel;
    return (cc_rows){canvas->pixels + offset, row_byte_count(canvas), frame->height};
}

static void copy_rows(cc_rows source, cc_rows target, size_t byte_count) {
    for (uint32_t i = 0; i < source.row_count; i++) {
        const uint8_t *row = source.bytes + i * source.row_byte_count;
        memcpy(target.bytes + i * target.row_byte_count, row, byte_count);
    }
}

static void dispose(cc_png_canvas *canvas) {
    cc_rows rows = rows_of(canvas, &canvas->last);
    size_t byte_count = (size_t)canvas->last.width * canvas->bytes_per_pixel;
    if (canvas->saved != NULL) {
        copy_rows((cc_rows){canvas->saved, byte_count, rows.row_count}, rows, byte_count);
        free(canvas->saved);
        canvas->saved = NULL;
    } else if (canvas->last.disposal == cc_png_disposal_background) {
        for (uint32_t i = 0; i < rows.row_count; i++) {
            memset(rows.bytes + i * rows.row_byte_count, 0, byte_count);
        }
    }
    canvas->last = (cc_png_frame){.disposal = cc_png_disposal_none};
}

static cc_status save(cc_png_canvas *canvas, const cc_png_frame *frame) {
    if (frame->disposal != cc_png_disposal_previous) return cc_status_ok;
    size_t byte_count = (size_t)frame->width * canvas->bytes_per_pixel;
    canvas->saved = malloc(byte_count * frame->height);
    if (canvas->saved == NULL) return cc_status_out_of_memory;
    copy_rows(rows_of(canvas, frame), (cc_rows){canvas->saved, byte_count, frame->height}, byte_count);
    return cc_status_ok;
}

/// Composites a straight-alpha pixel over another, rounded; both are translucent.
///
/// PNG 3 section 13.16: alpha is a + b (1 − a), a colour the mean of both, weighted by a and b (1 − a).
static void mix(const uint8_t *source, uint8_t *target) {
    uint32_t above = source[3] * 255u, below = (255u - source[3]) * target[3];
    uint32_t sum = above + below;
    for (int i = 0; i < 3; i++) {
        target[i] = (uint8_t)((source[i] * above + target[i] * below + sum / 2) / sum);
    }
    target[3] = (uint8_t)((sum + 127) / 255);
}

static void lay_over(const uint8_t *source, cc_rows target, uint32_t width) {
    for (uint32_t y = 0; y < target.row_count; y++) {
        uint8_t *pixel = target.bytes + y * target.row_byte_count;
        for (uint32_t x = 0; x < width; x++, source += 4, pixel += 4) {
            if (source[3] == 255 || (source[3] > 0 && pixel[3] == 0)) {
                memcpy(pixel, source, 4);
            } else if (source[3] > 0) {
                mix(source, pixel);
            }
        }
    }
}

static cc_status read_pixels(
    cc_png_canvas *canvas, const cc_color_transform *color, cc_rows rows, cc_message *message) {
    cc_png_reader *reader = &canvas->reader;
    reader->failure = (cc_png_failure){.message = message};
    if (setjmp(reader->failure.exit) == 0) {
        cc_png_make(reader);
        // The checksums were verified when the file was decoded; those of the assembled file are wrong.
        png_set_crc_action(reader->png, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);
        // The caller has the profile, and has created a transform from it.
        png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep) "iCCP", 1);
        cc_png_read_header(reader);
        if (canvas->bytes_per_pixel == 4) cc_png_add_alpha(reader);
        cc_png_read_pixels(reader, canvas->bytes_per_pixel, color, rows);
    }
    cc_png_clear(reader);
    return reader->failure.status;
}

static cc_status draw(
    cc_png_canvas *canvas, const cc_png_frame *frame, const cc_color_transform *color, cc_message *message) {
    start_stream(canvas, frame);
    cc_rows rows = rows_of(canvas, frame);
    if (!frame->is_over || canvas->bytes_per_pixel != 4) return read_pixels(canvas, color, rows, message);
    size_t byte_count = (size_t)frame->width * 4;
    uint8_t *pixels = calloc(frame->height, byte_count);
    if (pixels == NULL) return cc_status_out_of_memory;
    cc_status status = read_pixels(canvas, color, (cc_rows){pixels, byte_count, frame->height}, message);
    if (status == cc_status_ok) lay_over(pixels, rows, frame->width);
    free(pixels);
    return status;
}

cc_status cc_png_canvas_open(cc_bytes file, uint32_t bytes_per_pixel, cc_png_canvas **result) {
    *result = NULL;
    if (file.count < head_byte_count) return cc_status_truncated;
    cc_png_canvas *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL) return cc_status_out_of_memory;
    canvas->file = file;
    canvas->width = read_32(file.start + 16);
    canvas->height = read_32(file.start + 20);
    canvas->bytes_per_pixel = bytes_per_pixel;
    canvas->pixels = calloc(canvas->height, row_byte_count(canvas));
    if (canvas->pixels == NULL) {
        free(canvas);
        return cc_status_out_of_memory;
    }
    find_shared(canvas);
    *result = canvas;
    return cc_status_ok;
}

cc_status cc_png_canvas_draw(
    cc_png_canvas *canvas, const cc_png_frame *frame, const cc_color_transform *color, cc_rows rows,
    cc_message *message) {
    if (frame->width > canvas->width || frame->x > canvas->width - frame->width
        || frame->height > canvas->height || frame->y > canvas->height - frame->height) {
        return cc_status_corrupt;
    }
    if (rows.row_byte_count != row_byte_count(canvas) || rows.row_count != canvas->height) {
        return cc_status_failure;
    }
    dispose(canvas);
    cc_status status = save(canvas, frame);
    if (status == cc_status_ok) status = draw(canvas, frame, color, message);
    if (status != cc_status_ok) return status;
    canvas->last = *frame;
    memcpy(rows.bytes, canvas->pixels, rows.row_byte_count * rows.row_count);
    return cc_status_ok;
}

void cc_png_canvas_reset(cc_png_canvas *canvas) {
    memset(canvas->pixels, 0, row_byte_count(canvas) * canvas->height);
    free(canvas->saved);
    canvas->saved = NULL;
    canvas->last = (cc_png_frame){.disposal = cc_png_disposal_none};
}

void cc_png_canvas_close(cc_png_canvas *canvas) {
    if (canvas == NULL) return;
    free(canvas->saved);
    free(canvas->pixels);
    free(canvas);
}
