#include "cc_internal.h"
#include "coded_color.h"
#include "png_writer.h"

#include <stdlib.h>
#include <string.h>

void cc_png_write_bytes(png_structp png, png_bytep bytes, size_t byte_count) {
    cc_png_writer *writer = png_get_io_ptr(png);
    while (writer->output.count - writer->used < byte_count) {
        size_t room = writer->output.count;
        cc_status status = cc_output_grow(&writer->output, room, writer->byte_count_max);
        if (status != cc_status_ok) cc_png_fail(png, status, "the result grows too large");
    }
    memcpy(writer->output.bytes + writer->used, bytes, byte_count);
    writer->used += byte_count;
}

/// Nothing is buffered outside the writer.
static void flush(png_structp png) {
    (void)png;
}

void cc_png_writer_make(cc_png_writer *writer) {
    writer->png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->failure, cc_png_on_error, cc_png_on_warning);
    if (writer->png != NULL) writer->info = png_create_info_struct(writer->png);
    if (writer->info == NULL) {
        writer->failure.status = cc_status_out_of_memory;
        longjmp(writer->failure.exit, 1);
    }
    png_set_write_fn(writer->png, writer, cc_png_write_bytes, flush);
}

void cc_png_writer_clear(cc_png_writer *writer) {
    png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->coded_profile.bytes);
    writer->coded_profile = (cc_output){NULL, 0};
}

void cc_png_writer_check(const cc_png_writer *writer) {
    if (writer->used <= writer->byte_count_max) return;
    cc_png_fail(writer->png, cc_status_limit_exceeded, "the result is too large");
}

void cc_png_write_exif(png_structp png, cc_bytes exif) {
    if (exif.count > 0) png_write_chunk(png, (png_const_bytep) "eXIf", exif.start, exif.count);
}

static int color_type(uint32_t bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: return PNG_COLOR_TYPE_GRAY;
    case 3: return PNG_COLOR_TYPE_RGB;
    default: return PNG_COLOR_TYPE_RGBA;
    }
}

/// Whether all samples of alpha are the highest.
static int is_opaque(const cc_pixels *pixels) {
    const uint16_t *samples = (const uint16_t *)(const void *)pixels->bytes;
    size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++) {
        if (samples[i * 4 + 3] != 0xffff) return 0;
    }
    return 1;
}

/// Before the pixels, where libpng has written what stands before palettes: cICP for code points, which older
/// versions do not know.
static void write_codes(cc_png_writer *writer, const cc_pixels *pixels) {
    if (pixels->primaries == 0) return;
    png_byte codes[] = {(png_byte)pixels->primaries, (png_byte)pixels->transfer, 0, 1};
    png_write_info_before_PLTE(writer->png, writer->info);
    png_write_chunk(writer->png, (png_const_bytep) "cICP", codes, sizeof codes);
}

/// The profile, which readers know that do not know cICP; the one that stands for PQ and HLG here maps
/// their range, and belongs into no file.
static void set_profile(cc_png_writer *writer, const cc_pixels *pixels) {
    cc_bytes profile = pixels->profile;
    int is_high = pixels->transfer == 16 || pixels->transfer == 18;
    if (profile.start == NULL && pixels->primaries > 0 && !is_high) {
        writer->coded_profile = cc_coded_color_profile(pixels->primaries, pixels->transfer);
        profile = (cc_bytes){writer->coded_profile.bytes, writer->coded_profile.count};
    }
    if (profile.start == NULL) return;
    // One that libpng finds wrong is left out.
    png_set_benign_errors(writer->png, 1);
    png_set_iCCP(
        writer->png, writer->info, "ICC", PNG_COMPRESSION_TYPE_BASE, profile.start,
        (png_uint_32)profile.count);
}

/// What is done with rows of 16 bits before they are written.
static void set_depth(cc_png_writer *writer, int drops_alpha) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(writer->png);
#endif
    if (drops_alpha) png_set_filler(writer->png, 0, PNG_FILLER_AFTER);
}

static void write_image(cc_png_writer *writer, const cc_pixels *pixels, const cc_png_encoding *encoding) {
    png_structp png = writer->png;
    // The limits of libpng are for files from outside; the caller has these pixels already.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, encoding->level);
    int is_deep = pixels->bytes_per_pixel == 8, drops_alpha = is_deep && is_opaque(pixels);
    png_set_IHDR(
        png, writer->info, pixels->width, pixels->height, is_deep ? 16 : 8,
        drops_alpha ? PNG_COLOR_TYPE_RGB : color_type(pixels->bytes_per_pixel),
        encoding->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    set_profile(writer, pixels);
    write_codes(writer, pixels);
    png_write_info(png, writer->info);
    cc_png_write_exif(png, pixels->exif);
    if (is_deep) set_depth(writer, drops_alpha);
    size_t row_byte_count = (size_t)pixels->width * pixels->bytes_per_pixel;
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--) {
        for (uint32_t i = 0; i < pixels->height; i++) {
            png_write_row(png, pixels->bytes + i * row_byte_count);
        }
    }
    png_write_end(png, NULL);
    cc_png_writer_check(writer);
}

static cc_status encode(cc_png_writer *writer, const cc_pixels *pixels, const cc_png_encoding *encoding) {
    if (setjmp(writer->failure.exit)) return writer->failure.status;
    cc_png_writer_make(writer);
    write_image(writer, pixels, encoding);
    return cc_status_ok;
}

cc_status cc_png_encode(
    const cc_pixels *pixels, const cc_png_encoding *encoding, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    cc_png_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->failure.message = message;
    writer->byte_count_max = encoding->byte_count_max;
    cc_status status = encode(writer, pixels, encoding);
    if (status == cc_status_ok) {
        *output = (cc_output){writer->output.bytes, writer->used};
    } else {
        free(writer->output.bytes);
    }
    cc_png_writer_clear(writer);
    free(writer);
    return status;
}
