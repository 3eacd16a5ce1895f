#include "cc_internal.h"
#include "coded_color.h"
#include "png_reader.h"

#include <stdlib.h>
#include <string.h>

// MARK: - Header

static void read_bytes(png_structp png, png_bytep target, size_t byte_count) {
    cc_png_reader *reader = png_get_io_ptr(png);
    while (byte_count > 0) {
        if (reader->rest.count == 0 && reader->next_part != NULL) reader->rest = reader->next_part(reader);
        if (reader->rest.count == 0) cc_png_fail(png, cc_status_truncated, "the file ends in a chunk");
        size_t step = byte_count < reader->rest.count ? byte_count : reader->rest.count;
        memcpy(target, reader->rest.start, step);
        reader->rest.start += step;
        reader->rest.count -= step;
        target += step;
        byte_count -= step;
    }
}

/// Ignores chunks that affect no pixel here, so that they cost no memory: texts can inflate to any size. cHRM
/// is one of them: without a profile the primaries are those of sRGB.
static void ignore_chunks(png_structp png) {
    static const png_byte names[] =
        "bKGD\0cHRM\0eXIf\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0"
        "sBIT\0sCAL\0sPLT\0sTER\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
    // libpng itself supports it from 1.6.45 on.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, (const png_byte *)"cICP", 1);
}

static void set_limits(png_structp png) {
    // The caller checks width × height before anything of that size is allocated.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, 16 << 20);
    png_set_chunk_cache_max(png, 256);
}

void cc_png_make(cc_png_reader *reader) {
    reader->png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->failure, cc_png_on_error, cc_png_on_warning);
    if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
    if (reader->info == NULL) {
        reader->failure.status = cc_status_out_of_memory;
        longjmp(reader->failure.exit, 1);
    }
    ignore_chunks(reader->png);
    set_limits(reader->png);
}

void cc_png_clear(cc_png_reader *reader) {
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader->coded_profile.bytes);
    reader->coded_profile = (cc_output){NULL, 0};
}

/// Returns whether libpng creates alpha from a transparent colour or palette entries.
///
/// The flag `PNG_INFO_tRNS` stays set even if libpng drops the chunk, so the entries are counted, as in its
/// own transforms.
int cc_png_has_transparency(const cc_png_reader *reader) {
    png_bytep alphas = NULL;
    int count = 0;
    png_get_tRNS(reader->png, reader->info, &alphas, &count, NULL);
    return count > 0;
}

/// Selects RGBA of 16 bits in the machine's byte order; a file is big-endian.
static void keep_depth(cc_png_reader *reader) {
    png_set_gray_to_rgb(reader->png);
    if (!reader->header.has_alpha) png_set_add_alpha(reader->png, 0xffff, PNG_FILLER_AFTER);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(reader->png);
#endif
    reader->header.bytes_per_pixel = 8;
}

static void set_transforms(cc_png_reader *reader) {
    png_byte color_type = png_get_color_type(reader->png, reader->info);
    int is_transparent = cc_png_has_transparency(reader);
    cc_png_header *header = &reader->header;
    int is_palette = color_type == PNG_COLOR_TYPE_PALETTE;
    header->bit_depth = is_palette ? 8 : png_get_bit_depth(reader->png, reader->info);
    header->has_alpha = is_transparent || (color_type & PNG_COLOR_MASK_ALPHA) != 0;
    png_set_expand(reader->png);
    if (reader->keeps_depth && header->bit_depth == 16) return keep_depth(reader);
    png_set_scale_16(reader->png);
    if (header->has_alpha) {
        png_set_gray_to_rgb(reader->png);
        header->bytes_per_pixel = 4;
    } else {
        header->bytes_per_pixel = color_type == PNG_COLOR_TYPE_GRAY ? 1 : 3;
    }
}

void cc_png_add_alpha(cc_png_reader *reader) {
    if (reader->header.has_alpha) return;
    png_set_gray_to_rgb(reader->png);
    png_set_add_alpha(reader->png, 255, PNG_FILLER_AFTER);
}

/// Reads cICP of PNG 3 section 11.3.2.6, for RGB in full range; it takes precedence over iCCP.
static void read_codes(cc_png_reader *reader) {
    png_unknown_chunkp chunks = NULL;
    int count = png_get_unknown_chunks(reader->png, reader->info, &chunks);
    for (int i = 0; i < count; i++) {
        const png_byte *codes = chunks[i].data;
        if (memcmp(chunks[i].name, "cICP", 4) != 0 || chunks[i].size != 4) continue;
        if (codes[2] != 0 || codes[3] != 1 || codes[0] == 2 || codes[1] == 2) continue;
        cc_png_header *header = &reader->header;
        header->primaries = codes[0];
        header->transfer = codes[1];
        free(reader->coded_profile.bytes);
        reader->coded_profile = cc_coded_color_profile(codes[0], codes[1]);
        header->profile = (cc_bytes){reader->coded_profile.bytes, reader->coded_profile.count};
        return;
    }
}

/// Reads gAMA, unless a profile or sRGB overrides it; a gamma within a twentieth of that of sRGB, the
/// tolerance of libpng, needs no conversion.
static void read_gamma(cc_png_reader *reader) {
    double gamma = 0;
    int intent = 0;
    cc_png_header *header = &reader->header;
    if (header->profile.start != NULL || header->primaries != 0) return;
    if (png_get_sRGB(reader->png, reader->info, &intent) != 0) return;
    if (png_get_gAMA(reader->png, reader->info, &gamma) == 0) return;
    if (gamma < 0.05 || gamma > 10 || (gamma * 2.2 > 0.95 && gamma * 2.2 < 1.05)) return;
    reader->coded_profile = cc_power_profile(1 / gamma);
    header->profile = (cc_bytes){reader->coded_profile.bytes, reader->coded_profile.count};
}

void cc_png_describe(cc_png_reader *reader) {
    cc_png_header *header = &reader->header;
    header->width = png_get_image_width(reader->png, reader->info);
    header->height = png_get_image_height(reader->png, reader->info);
    png_charp name;
    int method;
    png_bytep profile;
    png_uint_32 profile_byte_count;
    if (png_get_iCCP(reader->png, reader->info, &name, &method, &profile, &profile_byte_count) != 0) {
        header->profile = (cc_bytes){profile, profile_byte_count};
        header->has_profile = 1;
    }
    read_codes(reader);
    read_gamma(reader);
    set_transforms(reader);
}

/// Prevents libpng from reading the suggested palette of an image without indices: it drops a tRNS before a
/// PLTE, which browsers apply.
static void ignore_suggested_palette(cc_png_reader *reader) {
    enum { color_type_offset = 25 };
    int is_palette = reader->rest.count > color_type_offset
        && reader->rest.start[color_type_offset] == PNG_COLOR_TYPE_PALETTE;
    if (is_palette) return;
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_ALWAYS, (const png_byte *)"PLTE", 1);
}

void cc_png_check_variant(png_structp png, cc_bytes file) {
    enum { type_offset = 12 };
    if (file.count < type_offset + 4 || memcmp(file.start + type_offset, "CgBI", 4) != 0) return;
    cc_png_fail(png, cc_status_unsupported, "Apple's CgBI variant of PNG is not supported");
}

void cc_png_read_header(cc_png_reader *reader) {
    cc_png_check_variant(reader->png, reader->rest);
    png_set_read_fn(reader->png, reader, read_bytes);
    ignore_suggested_palette(reader);
    png_read_info(reader->png, reader->info);
    cc_png_describe(reader);
}

cc_status cc_png_open(
    cc_bytes file, int32_t keeps_depth, cc_png_reader **result, cc_png_header *header, cc_message *message) {
    *result = NULL;
    cc_png_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    reader->rest = file;
    reader->keeps_depth = keeps_depth;
    reader->failure.message = message;
    if (setjmp(reader->failure.exit)) {
        cc_status status = reader->failure.status;
        cc_png_close(reader);
        return status;
    }
    cc_png_make(reader);
    cc_png_read_header(reader);
    *header = reader->header;
    *result = reader;
    return cc_status_ok;
}

void cc_png_close(cc_png_reader *reader) {
    if (reader == NULL) return;
    cc_png_clear(reader);
    free(reader);
}

// MARK: - Pixels

void cc_png_check_layout(const cc_png_reader *reader, uint32_t bytes_per_pixel) {
    png_structp png = reader->png;
    png_infop info = reader->info;
    uint32_t channel_count = bytes_per_pixel == 8 ? 4 : bytes_per_pixel;
    uint32_t bit_depth = bytes_per_pixel == 8 ? 16 : 8;
    size_t row_byte_count = (size_t)png_get_image_width(png, info) * bytes_per_pixel;
    if (png_get_channels(png, info) != channel_count || png_get_bit_depth(png, info) != bit_depth
        || png_get_rowbytes(png, info) != row_byte_count) {
        cc_png_fail(png, cc_status_failure, "libpng would write other pixels than the header announces");
    }
}

static void check_room(const cc_png_reader *reader, uint32_t bytes_per_pixel, cc_rows rows) {
    cc_png_check_layout(reader, bytes_per_pixel);
    if (png_get_rowbytes(reader->png, reader->info) > rows.row_byte_count
        || png_get_image_height(reader->png, reader->info) != rows.row_count) {
        cc_png_fail(reader->png, cc_status_failure, "the buffer size does not match the image");
    }
}

/// Each pass of an interlaced image writes its own pixels of each row, so the colours are converted in the
/// last.
static void read_rows(
    const cc_png_reader *reader, int pass_count, const cc_color_transform *color, cc_rows rows) {
    uint32_t width = png_get_image_width(reader->png, reader->info);
    for (int pass = 0; pass < pass_count; pass++) {
        const cc_color_transform *converts = pass == pass_count - 1 ? color : NULL;
        for (uint32_t i = 0; i < rows.row_count; i++) {
            uint8_t *row = rows.bytes + i * rows.row_byte_count;
            if (cc_is_stopped()) cc_png_fail(reader->png, cc_status_stopped, "");
            png_read_row(reader->png, row, NULL);
            if (converts != NULL) cc_color_apply(converts, row, row, width);
        }
    }
}

void cc_png_read_pixels(
    cc_png_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows) {
    reader->failure.reads_pixels = 1;
    int pass_count = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    check_room(reader, bytes_per_pixel, rows);
    read_rows(reader, pass_count, color, rows);
    png_read_end(reader->png, NULL);
}

cc_status cc_png_decode(
    cc_png_reader *reader, const cc_png_decoding *decoding, cc_rows rows, cc_message *message) {
    reader->failure.message = message;
    int adds_alpha = decoding->adds_alpha && !reader->header.has_alpha;
    uint32_t bytes_per_pixel = adds_alpha ? 4 : reader->header.bytes_per_pixel;
    if (rows.row_byte_count != (size_t)reader->header.width * bytes_per_pixel) {
        cc_write_message(message, "the buffer's row length does not match the image");
        return cc_status_failure;
    }
    if (decoding->path != cc_png_path_libpng && !adds_alpha
        && cc_png_read_plainly(reader, decoding->color, rows)) {
        return cc_status_ok;
    }
    if (decoding->path == cc_png_path_plain) return cc_status_unsupported;
    if (setjmp(reader->failure.exit)) return reader->failure.status;
    if (adds_alpha) cc_png_add_alpha(reader);
    cc_png_read_pixels(reader, bytes_per_pixel, decoding->color, rows);
    return cc_status_ok;
}
