#include "cc_internal.h"
#include "coded_color.h"
#include "png_layout.h"
#include "png_writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/// XMP part 3 section 1.1.5: an uncompressed international text with a keyword, and without a language.
static void write_xmp(png_structp png, cc_bytes xmp) {
    static const uint8_t head[] = "XML:com.adobe.xmp\0\0\0\0";
    enum { byte_count_max = 1 << 30 };
    if (xmp.count == 0 || xmp.count > byte_count_max) return;
    png_write_chunk_start(png, (png_const_bytep) "iTXt", (png_uint_32)(sizeof head + xmp.count));
    png_write_chunk_data(png, head, sizeof head);
    png_write_chunk_data(png, xmp.start, xmp.count);
    png_write_chunk_end(png);
}

void cc_png_write_metadata(png_structp png, const cc_pixels *pixels) {
    cc_bytes exif = pixels->exif;
    if (exif.count > 0) png_write_chunk(png, (png_const_bytep) "eXIf", exif.start, exif.count);
    write_xmp(png, pixels->xmp);
}

/// Returns whether all alpha samples have the maximum.
static int is_opaque(const cc_pixels *pixels) {
    const uint16_t *samples = (const uint16_t *)(const void *)pixels->bytes;
    size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++) {
        if (samples[i * 4 + 3] != 0xffff) return 0;
    }
    return 1;
}

/// Writes cICP for code points, which older versions of libpng do not support, at the position before
/// palettes.
static void write_codes(cc_png_writer *writer, const cc_pixels *pixels) {
    if (pixels->primaries == 0) return;
    png_byte codes[] = {(png_byte)pixels->primaries, (png_byte)pixels->transfer, 0, 1};
    png_write_info_before_PLTE(writer->png, writer->info);
    png_write_chunk(writer->png, (png_const_bytep) "cICP", codes, sizeof codes);
}

/// Writes the profile, which readers without cICP support use. The internal profile for PQ and HLG maps their
/// range, and must not be written.
static void set_profile(cc_png_writer *writer, const cc_pixels *pixels) {
    cc_bytes profile = pixels->profile;
    int is_high = pixels->transfer == 16 || pixels->transfer == 18;
    if (profile.start == NULL && pixels->primaries > 0 && !is_high) {
        writer->coded_profile = cc_coded_color_profile(pixels->primaries, pixels->transfer);
        profile = (cc_bytes){writer->coded_profile.bytes, writer->coded_profile.count};
    }
    if (profile.start == NULL) return;
    // libpng omits a profile that it considers invalid.
    png_set_benign_errors(writer->png, 1);
    png_set_iCCP(
        writer->png, writer->info, "ICC", PNG_COMPRESSION_TYPE_BASE, profile.start,
        (png_uint_32)profile.count);
}

/// Sets the transforms of rows of 16 bits before they are written.
static void set_depth(cc_png_writer *writer, int drops_alpha) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(writer->png);
#endif
    if (drops_alpha) png_set_filler(writer->png, 0, PNG_FILLER_AFTER);
}

// MARK: - Image

/// The encoding of one image.
typedef struct image_plan {
    const cc_pixels *pixels;
    const cc_png_encoding *encoding;
    cc_png_layout layout;
    cc_png_filtering filtering;
} image_plan;

static void write_header(cc_png_writer *writer, const image_plan *plan, int drops_alpha) {
    const cc_pixels *pixels = plan->pixels;
    const cc_png_layout *layout = &plan->layout;
    png_set_IHDR(
        writer->png, writer->info, pixels->width, pixels->height, layout->bit_depth,
        drops_alpha ? PNG_COLOR_TYPE_RGB : layout->color_type,
        plan->encoding->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (layout->color_count > 0) {
        png_set_PLTE(writer->png, writer->info, layout->colors, layout->color_count);
    }
    if (layout->alpha_count > 0) {
        png_set_tRNS(writer->png, writer->info, layout->alphas, layout->alpha_count, NULL);
    }
    set_profile(writer, pixels);
    write_codes(writer, pixels);
    png_write_info(writer->png, writer->info);
    cc_png_write_metadata(writer->png, pixels);
}

static void write_image(cc_png_writer *writer, const image_plan *plan) {
    png_structp png = writer->png;
    // The limits of libpng are for untrusted files; the caller has these pixels already.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, plan->encoding->level);
    png_set_compression_strategy(png, plan->filtering.strategy);
    png_set_filter(png, PNG_FILTER_TYPE_DEFAULT, plan->filtering.filters);
    int is_deep = plan->layout.bit_depth == 16, drops_alpha = is_deep && is_opaque(plan->pixels);
    write_header(writer, plan, drops_alpha);
    if (is_deep) set_depth(writer, drops_alpha);
    if (plan->layout.bit_depth < 8) png_set_packing(png);
    cc_pixels stored = cc_png_layout_pixels(&plan->layout, plan->pixels);
    size_t row_byte_count = (size_t)stored.width * stored.bytes_per_pixel;
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--) {
        for (uint32_t i = 0; i < stored.height; i++) png_write_row(png, stored.bytes + i * row_byte_count);
    }
    png_write_end(png, NULL);
    cc_png_writer_check(writer);
}

static cc_status try_write(cc_png_writer *writer, const image_plan *plan) {
    if (setjmp(writer->failure.exit)) return writer->failure.status;
    cc_png_writer_make(writer);
    write_image(writer, plan);
    return cc_status_ok;
}

/// Encodes by a plan; the caller owns the bytes.
static cc_status encode(const image_plan *plan, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    cc_png_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->failure.message = message;
    writer->byte_count_max = plan->encoding->byte_count_max;
    cc_status status = try_write(writer, plan);
    if (status == cc_status_ok) {
        *output = (cc_output){writer->output.bytes, writer->used};
    } else {
        free(writer->output.bytes);
    }
    cc_png_writer_clear(writer);
    free(writer);
    return status;
}

// MARK: - Choices

/// The default of libpng, best for photographs.
static const cc_png_filtering adaptive = {PNG_ALL_FILTERS, Z_FILTERED};
static const cc_png_filtering plain = {PNG_FILTER_NONE, Z_DEFAULT_STRATEGY};
/// For flat images with gradients: Z_FILTERED would ignore short matches.
static const cc_png_filtering matched = {PNG_ALL_FILTERS, Z_DEFAULT_STRATEGY};

/// Returns the encoded size of some rows; `SIZE_MAX` if they cannot be encoded.
static size_t trial_byte_count(
    const image_plan *plan, const cc_pixels *rows, cc_png_filtering filtering, cc_message *message) {
    cc_png_encoding encoding = *plan->encoding;
    encoding.byte_count_max = UINT64_MAX;
    image_plan trial = {rows, &encoding, plan->layout, filtering};
    // The rows are in their stored form already.
    if (trial.layout.values != NULL) trial.layout.values = (uint8_t *)(uintptr_t)rows->bytes;
    cc_output output;
    if (encode(&trial, &output, message) != cc_status_ok) return SIZE_MAX;
    free(output.bytes);
    return output.count;
}

/// Selects the filtering with the smallest result for rows from all parts of an image.
static size_t choose_smallest(image_plan *plan, cc_message *message) {
    plan->filtering = adaptive;
    cc_pixels stored = cc_png_layout_pixels(&plan->layout, plan->pixels);
    stored.exif = stored.xmp = stored.profile = (cc_bytes){NULL, 0};
    stored.primaries = 0;
    cc_pixels rows = cc_png_sample(&stored);
    if (rows.bytes == NULL) return SIZE_MAX;
    size_t least = SIZE_MAX;
    const cc_png_filtering *const choices[] = {&adaptive, &plain, &matched};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        size_t byte_count = trial_byte_count(plan, &rows, *choices[i], message);
        if (byte_count >= least) continue;
        least = byte_count;
        plan->filtering = *choices[i];
    }
    free((void *)(uintptr_t)rows.bytes);
    return least;
}

/// Selects the filtering: values of few bits seldom have equal neighbours; for a palette of many colours,
/// possibly of a gradient, and for flat images the filterings are tried.
static void choose(image_plan *plan, cc_message *message) {
    int is_indexed = plan->layout.values != NULL;
    plan->filtering = is_indexed ? plain : adaptive;
    if (plan->encoding->level == 0 || plan->layout.bit_depth < 8) return;
    if (!is_indexed) {
        if (cc_png_is_flat(plan->pixels)) choose_smallest(plan, message);
        return;
    }
    image_plan direct = {.pixels = plan->pixels, .encoding = plan->encoding};
    cc_png_layout_choose(&direct.layout, plan->pixels, 1);
    size_t byte_count = choose_smallest(plan, message);
    if (choose_smallest(&direct, message) >= byte_count) return;
    cc_png_layout_clear(&plan->layout);
    plan->layout = direct.layout;
    plan->filtering = direct.filtering;
}

cc_status cc_png_encode(
    const cc_pixels *pixels, const cc_png_encoding *encoding, cc_output *output, cc_message *message) {
    image_plan plan = {.pixels = pixels, .encoding = encoding};
    cc_png_layout_choose(&plan.layout, pixels, encoding->keeps_channels);
    choose(&plan, message);
    cc_status status = encode(&plan, output, message);
    cc_png_layout_clear(&plan.layout);
    return status;
}
