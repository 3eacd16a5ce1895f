#include "cc_internal.h"
#include "png_reader.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
    signature_byte_count = 8,
    /// In IHDR, which is the first chunk.
    color_type_offset = 25,
    /// The size of a chunk's length and type, without and with its checksum.
    chunk_head_byte_count = 8,
    chunk_frame_byte_count = 12,
};

struct cc_png_incremental {
    /// First, so that libpng's pointer to it is a pointer to the whole.
    cc_png_reader reader;
    uint64_t pixel_count_max;
    /// The number of processed bytes of the file, and the following bytes that belong to the current chunk of
    /// pixels.
    size_t offset;
    size_t pixel_byte_count;
    cc_rows rows;
    cc_png_progress progress;
};

// MARK: - Callbacks of libpng

static void on_header(png_structp png, png_infop info) {
    (void)info;
    cc_png_incremental *image = png_get_progressive_ptr(png);
    cc_png_reader *reader = &image->reader;
    cc_png_describe(reader);
    const cc_png_header *header = &reader->header;
    if ((uint64_t)header->width * header->height > image->pixel_count_max) {
        cc_png_fail(png, cc_status_limit_exceeded, "the header claims more pixels than the limit");
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    cc_png_check_layout(reader, header->bytes_per_pixel);
    image->rows.row_byte_count = png_get_rowbytes(png, reader->info);
    image->rows.row_count = header->height;
    image->rows.bytes = calloc(image->rows.row_count, image->rows.row_byte_count);
    if (image->rows.bytes == NULL) {
        cc_png_fail(png, cc_status_out_of_memory, "not enough memory for the rows");
    }
    reader->failure.reads_pixels = 1;
    image->progress.has_header = 1;
}

/// The passes of an interlaced image fill the blocks that their pixels represent, so that the first covers
/// the image.
static void on_row(png_structp png, png_bytep row, png_uint_32 index, int pass) {
    (void)pass;
    cc_png_incremental *image = png_get_progressive_ptr(png);
    if (row == NULL || index >= image->rows.row_count) return;
    if (cc_is_stopped()) cc_png_fail(png, cc_status_stopped, "");
    png_progressive_combine_row(png, image->rows.bytes + index * image->rows.row_byte_count, row);
    if (index >= image->progress.row_count) image->progress.row_count = index + 1;
    image->progress.step++;
}

static void on_end(png_structp png, png_infop info) {
    cc_png_incremental *image = png_get_progressive_ptr(png);
    int is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    int has_all_rows = is_interlaced ? png_get_current_pass_number(png) >= 7
                                     : png_get_current_row_number(png) >= image->rows.row_count;
    if (!has_all_rows) cc_png_fail(png, cc_status_corrupt, "the pixels end before the last row");
    image->progress.is_whole = 1;
}

// MARK: - Bytes

static uint32_t read_32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void give(cc_png_incremental *image, cc_bytes file, size_t byte_count) {
    // libpng only reads the bytes; its interface is older than `const`.
    png_bytep bytes = (png_bytep)file.start + image->offset;
    png_process_data(image->reader.png, image->reader.info, bytes, byte_count);
    image->offset += byte_count;
}

/// Skips a chunk; a critical one must have a valid checksum, as libpng requires.
static void skip(cc_png_incremental *image, const uint8_t *chunk, size_t byte_count) {
    int is_critical = (chunk[4] & 0x20) == 0;
    if (is_critical) {
        uint32_t sum = libdeflate_crc32(0, chunk + 4, byte_count - chunk_head_byte_count);
        if (sum != read_32(chunk + byte_count - 4)) {
            cc_png_fail(image->reader.png, cc_status_corrupt, "PLTE: CRC error");
        }
    }
    image->offset += byte_count;
}

/// Returns whether a chunk is needed for the pixels, or to validate the file.
///
/// The palette of an image without indices is a suggestion, for which libpng would drop a tRNS before it.
static int is_wanted(png_structp png, const uint8_t *type, int is_palette) {
    static const char wanted[][5] = {"iCCP", "cICP", "gAMA", "sRGB", "tRNS", "acTL", "fcTL", "fdAT"};
    for (size_t i = 0; i < 4; i++) {
        uint8_t letter = type[i] | 0x20;
        if (letter < 'a' || letter > 'z') cc_png_fail(png, cc_status_corrupt, "a chunk has an invalid type");
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (memcmp(type, wanted[i], 4) == 0) return 1;
    }
    if (memcmp(type, "PLTE", 4) == 0) return is_palette;
    int is_critical = (type[0] & 0x20) == 0;
    return is_critical;
}

/// Processes the next part of the file; 0 if more bytes are needed.
///
/// Chunks of pixels are processed as they arrive, others once they are complete: libpng would copy the
/// buffered part with each call.
static int advance(cc_png_incremental *image, cc_bytes file) {
    size_t there = file.count - image->offset;
    if (there == 0 || image->progress.is_whole) return 0;
    if (image->offset == 0) {
        if (there < signature_byte_count) return 0;
        give(image, file, signature_byte_count);
        return 1;
    }
    if (image->pixel_byte_count > 0) {
        size_t step = there < image->pixel_byte_count ? there : image->pixel_byte_count;
        give(image, file, step);
        image->pixel_byte_count -= step;
        return 1;
    }
    if (there < chunk_head_byte_count) return 0;
    const uint8_t *chunk = file.start + image->offset;
    size_t byte_count = (size_t)read_32(chunk) + chunk_frame_byte_count;
    if (memcmp(chunk + 4, "IDAT", 4) == 0 || byte_count > PNG_UINT_31_MAX) {
        image->pixel_byte_count = byte_count;
        return 1;
    }
    if (there < byte_count) return 0;
    cc_png_check_variant(image->reader.png, file);
    int is_palette = file.count > color_type_offset
        && file.start[color_type_offset] == PNG_COLOR_TYPE_PALETTE;
    if (is_wanted(image->reader.png, chunk + 4, is_palette)) {
        give(image, file, byte_count);
    } else {
        skip(image, chunk, byte_count);
    }
    return 1;
}

cc_status cc_png_incremental_advance(
    cc_png_incremental *image, cc_bytes file, int32_t is_end, cc_message *message) {
    image->reader.failure.message = message;
    if (setjmp(image->reader.failure.exit)) return image->reader.failure.status;
    while (advance(image, file)) continue;
    if (is_end && !image->progress.is_whole) {
        cc_png_fail(image->reader.png, cc_status_truncated, "the file ends before the image is complete");
    }
    return cc_status_ok;
}

// MARK: - Start and result

cc_status cc_png_incremental_open(
    uint64_t pixel_count_max, cc_png_incremental **result, cc_message *message) {
    *result = NULL;
    cc_png_incremental *image = calloc(1, sizeof *image);
    if (image == NULL) return cc_status_out_of_memory;
    image->pixel_count_max = pixel_count_max;
    image->reader.failure.message = message;
    if (setjmp(image->reader.failure.exit)) {
        cc_status status = image->reader.failure.status;
        cc_png_incremental_close(image);
        return status;
    }
    cc_png_make(&image->reader);
    png_set_progressive_read_fn(image->reader.png, image, on_header, on_row, on_end);
    *result = image;
    return cc_status_ok;
}

cc_png_progress cc_png_incremental_progress(const cc_png_incremental *image) {
    cc_png_progress progress = image->progress;
    progress.has_excess = image->reader.failure.has_excess;
    return progress;
}

const cc_png_header *cc_png_incremental_header(const cc_png_incremental *image) {
    return &image->reader.header;
}

cc_status cc_png_incremental_copy(
    const cc_png_incremental *image, const cc_color_transform *color, cc_rows rows) {
    if (rows.row_byte_count != image->rows.row_byte_count || rows.row_count != image->rows.row_count) {
        return cc_status_failure;
    }
    memcpy(rows.bytes, image->rows.bytes, rows.row_byte_count * rows.row_count);
    for (uint32_t i = 0; color != NULL && i < image->progress.row_count; i++) {
        uint8_t *row = rows.bytes + i * rows.row_byte_count;
        cc_color_apply(color, row, row, image->reader.header.width);
    }
    return cc_status_ok;
}

void cc_png_incremental_close(cc_png_incremental *image) {
    if (image == NULL) return;
    cc_png_clear(&image->reader);
    free(image->rows.bytes);
    free(image);
}
