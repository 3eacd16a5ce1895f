#include "cc_internal.h"
#include "png_filter.h"
#include "png_reader.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/// The maximum inflated size, held in addition to the image; larger images are decoded row by row by libpng.
static const size_t inflated_byte_count_max = 64 << 20;

/// Other chunks longer than this are left to libpng's limits.
static const size_t side_byte_count_max = 1 << 20;

/// A longer stream that also exceeds its pixels may contain a chunk beyond libpng's limits.
static const size_t stream_byte_count_max = 16 << 20;

/// The maximum ratio of deflate (RFC 1951: 258 bytes of two bits).
static const size_t inflation_max = 1032;

typedef struct plain_image {
    uint32_t width, height;
    png_byte color_type;
    /// The stored bytes of a pixel, and of a row without its filter.
    size_t step, row_byte_count;
    /// All chunks from the first one with pixels on.
    cc_bytes chunks;
    /// The zlib stream; `joined` owns it if it is split into several chunks.
    cc_bytes stream;
    uint8_t *joined;
    /// The colours of a palette, and their number.
    uint8_t colors[256][4];
    size_t color_count;
    uint8_t *inflated;
} plain_image;

// MARK: - Chunks

typedef struct chunk {
    const uint8_t *type;
    const uint8_t *payload;
    size_t count;
} chunk;

static uint32_t read_32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int is(const chunk *chunk, const char *type) {
    return memcmp(chunk->type, type, 4) == 0;
}

/// Takes a chunk from the front; 0 if it is incomplete.
static int take_chunk(cc_bytes *rest, chunk *taken) {
    if (rest->count < 12) return 0;
    *taken = (chunk){rest->start + 4, rest->start + 8, read_32(rest->start)};
    if (taken->count > rest->count - 12) return 0;
    rest->start += taken->count + 12;
    rest->count -= taken->count + 12;
    return 1;
}

/// Returns whether the checksum is correct.
static int is_sound(const chunk *chunk) {
    return libdeflate_crc32(0, chunk->type, chunk->count + 4) == read_32(chunk->payload + chunk->count);
}

/// Returns whether a chunk after the pixels has no effect: it is ancillary, and not one of those that must
/// precede them.
static int is_harmless(const chunk *chunk) {
    for (int i = 0; i < 4; i++) {
        uint8_t letter = chunk->type[i] & ~0x20;
        if (letter < 'A' || letter > 'Z') return 0;
    }
    int may_be_left_out = (chunk->type[0] & 0x20) != 0;
    return may_be_left_out && chunk->count <= side_byte_count_max && !is(chunk, "tRNS")
        && !is(chunk, "iCCP");
}

/// Validates all chunks up to the end, and computes the size of the stream.
static int find_stream(plain_image *image) {
    cc_bytes rest = image->chunks;
    chunk next;
    size_t part_count = 0, byte_count = 0;
    for (;;) {
        if (!take_chunk(&rest, &next) || !is_sound(&next)) return 0;
        if (!is(&next, "IDAT")) break;
        if (part_count++ == 0) image->stream.start = next.payload;
        byte_count += next.count;
    }
    while (is_harmless(&next)) {
        if (!take_chunk(&rest, &next) || !is_sound(&next)) return 0;
    }
    if (!is(&next, "IEND") || next.count != 0 || byte_count < 2) return 0;
    image->stream.count = byte_count;
    if (part_count > 1) image->stream.start = image->joined = malloc(byte_count);
    return image->stream.start != NULL;
}

static void join_stream(const plain_image *image) {
    cc_bytes rest = image->chunks;
    chunk next;
    uint8_t *target = image->joined;
    size_t room = image->stream.count;
    while (room > 0 && take_chunk(&rest, &next)) {
        memcpy(target, next.payload, next.count);
        target += next.count;
        room -= next.count;
    }
}

// MARK: - Header

/// 0 if the format is not supported, or the output would differ from the header.
static int find_step(plain_image *image, int has_transparency, uint32_t bytes_per_pixel) {
    switch (image->color_type) {
    case PNG_COLOR_TYPE_GRAY: image->step = 1; return !has_transparency && bytes_per_pixel == 1;
    case PNG_COLOR_TYPE_RGB: image->step = 3; return !has_transparency && bytes_per_pixel == 3;
    case PNG_COLOR_TYPE_PALETTE: image->step = 1; return bytes_per_pixel == (has_transparency ? 4 : 3);
    case PNG_COLOR_TYPE_GRAY_ALPHA: image->step = 2; return bytes_per_pixel == 4;
    case PNG_COLOR_TYPE_RGB_ALPHA: image->step = 4; return bytes_per_pixel == 4;
    default: return 0;
    }
}

static void read_palette(plain_image *image, const cc_png_reader *reader) {
    png_colorp colors = NULL;
    int color_count = 0, alpha_count = 0;
    png_bytep alphas = NULL;
    png_get_PLTE(reader->png, reader->info, &colors, &color_count);
    png_get_tRNS(reader->png, reader->info, &alphas, &alpha_count, NULL);
    for (int i = 0; i < color_count && i < 256; i++) {
        uint8_t alpha = i < alpha_count ? alphas[i] : 255;
        memcpy(image->colors[i], (uint8_t[]){colors[i].red, colors[i].green, colors[i].blue, alpha}, 4);
        image->color_count = (size_t)i + 1;
    }
}

static int read_header(plain_image *image, const cc_png_reader *reader, cc_rows rows) {
    png_structp png = reader->png;
    png_infop info = reader->info;
    image->width = png_get_image_width(png, info);
    image->height = png_get_image_height(png, info);
    image->color_type = png_get_color_type(png, info);
    uint32_t bytes_per_pixel = reader->header.bytes_per_pixel;
    int has_transparency = cc_png_has_transparency(reader);
    if (png_get_bit_depth(png, info) != 8 || !find_step(image, has_transparency, bytes_per_pixel)) return 0;
    if (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE || reader->next_part != NULL) return 0;
    if (image->color_type == PNG_COLOR_TYPE_PALETTE) read_palette(image, reader);
    image->row_byte_count = image->width * image->step;
    size_t row_byte_count = (size_t)image->width * bytes_per_pixel;
    if (rows.row_count != image->height || rows.row_byte_count != row_byte_count) return 0;
    // libpng has read the length and type of the first chunk with pixels.
    image->chunks = (cc_bytes){reader->rest.start - 8, reader->rest.count + 8};
    return 1;
}

// MARK: - Pixels

/// Allocates memory, in huge pages if it is large: faulting it in page by page takes as long as inflating.
static uint8_t *allocate(size_t byte_count) {
    enum { huge_page_byte_count = 2 << 20 };
    if (byte_count < 2 * huge_page_byte_count) return malloc(byte_count);
    void *bytes = NULL;
    if (posix_memalign(&bytes, huge_page_byte_count, byte_count) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(bytes, byte_count / huge_page_byte_count * huge_page_byte_count, MADV_HUGEPAGE);
#endif
    return bytes;
}

/// Checks the stream's declared window, which zlib enforces, but libdeflate ignores.
static int has_window(cc_bytes stream, size_t byte_count) {
    size_t window = (size_t)1 << ((stream.start[0] >> 4) + 8);
    return window >= 32768 || window >= byte_count;
}

/// Inflates the stream, which must have exactly the bytes of the pixels, and a correct checksum.
static int inflate_pixels(plain_image *image) {
    size_t byte_count = image->height * (image->row_byte_count + 1);
    size_t stream_byte_count = image->stream.count;
    if (byte_count > inflated_byte_count_max || byte_count / inflation_max > stream_byte_count) return 0;
    if (stream_byte_count > stream_byte_count_max && stream_byte_count > byte_count) return 0;
    if (image->joined != NULL) join_stream(image);
    if (!has_window(image->stream, byte_count)) return 0;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    image->inflated = allocate(byte_count + cc_png_filter_slack);
    size_t used = 0, made = 0;
    int is_done = inflater != NULL && image->inflated != NULL
        && libdeflate_zlib_decompress_ex(
               inflater, image->stream.start, stream_byte_count, image->inflated, byte_count, &used, &made)
            == LIBDEFLATE_SUCCESS;
    if (inflater != NULL) libdeflate_free_decompressor(inflater);
    free(image->joined);
    image->joined = NULL;
    if (!is_done || used != stream_byte_count || made != byte_count) return 0;
    memset(image->inflated + byte_count, 0, cc_png_filter_slack);
    return 1;
}

static int expand_palette(const plain_image *image, const uint8_t *row, uint8_t *target, size_t step) {
    for (uint32_t x = 0; x < image->width; x++, target += step) {
        if (row[x] >= image->color_count) return 0;
        memcpy(target, image->colors[row[x]], step);
    }
    return 1;
}

static int write_row(const plain_image *image, const uint8_t *row, uint8_t *target, size_t step) {
    switch (image->color_type) {
    case PNG_COLOR_TYPE_PALETTE: return expand_palette(image, row, target, step);
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        for (uint32_t x = 0; x < image->width; x++) {
            memset(target + x * 4, row[x * 2], 3);
            target[x * 4 + 3] = row[x * 2 + 1];
        }
        return 1;
    default: memcpy(target, row, image->row_byte_count); return 1;
    }
}

static int write_rows(
    const plain_image *image, size_t step, const cc_color_transform *color, cc_rows rows) {
    size_t count = image->row_byte_count;
    uint8_t *zeros = calloc(count + cc_png_filter_slack, 1);
    const uint8_t *above = zeros;
    int is_done = zeros != NULL;
    for (uint32_t y = 0; is_done && y < image->height; y++) {
        uint8_t *row = image->inflated + y * (count + 1) + 1;
        uint8_t *target = rows.bytes + y * rows.row_byte_count;
        // libpng then stops at its first row.
        is_done = !cc_is_stopped() && cc_png_unfilter(row, above, count, image->step, row[-1])
            && write_row(image, row, target, step);
        if (is_done && color != NULL) cc_color_apply(color, target, target, image->width);
        above = row;
    }
    free(zeros);
    return is_done;
}

int cc_png_read_plainly(const cc_png_reader *reader, const cc_color_transform *color, cc_rows rows) {
    plain_image image = {0};
    int is_done = read_header(&image, reader, rows) && find_stream(&image) && inflate_pixels(&image)
        && write_rows(&image, reader->header.bytes_per_pixel, color, rows);
    free(image.joined);
    free(image.inflated);
    return is_done;
}
