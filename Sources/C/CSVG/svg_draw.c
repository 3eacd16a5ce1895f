#include "csvg.h"
#include "svg_calls.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Copies the error's text, on one line.
static calotype_svg_status take_error(
    const calotype_svg_calls *svg, rsvg_error *error, calotype_svg_message *message) {
    snprintf(message->text, sizeof message->text, "librsvg: %s", error ? error->message : "no reason");
    if (error) svg->g_error_free(error);
    for (char *place = message->text; *place; place++) {
        if ((unsigned char)*place < ' ' || *place == 127) *place = ' ';
    }
    // librsvg has one code for all errors.
    int is_limit = strstr(message->text, "more than") || strstr(message->text, "Excessive depth");
    return is_limit ? calotype_svg_limit_exceeded : calotype_svg_damaged;
}

calotype_svg_status calotype_svg_open(
    const void *bytes, size_t count, calotype_svg **document, calotype_svg_message *message) {
    const calotype_svg_calls *svg = calotype_svg_load(message->text, sizeof message->text);
    if (!svg) return calotype_svg_unavailable;
    rsvg_error *error = NULL;
    void *handle = svg->rsvg_handle_new_from_data(bytes, count, &error);
    if (!handle) return take_error(svg, error, message);
    svg->rsvg_handle_set_dpi(handle, 96);
    *document = handle;
    return calotype_svg_ok;
}

/// Uses a font size of 16 pixels instead of librsvg's 12 if the document's size depends on it; otherwise
/// librsvg would lay the document out on a page of another size.
static void use_letters_of_browsers(const calotype_svg_calls *svg, calotype_svg *document) {
    static const char style[] = ":root { font-size: 16px }";
    rsvg_error *error = NULL;
    int is_set = svg->rsvg_handle_set_stylesheet(
        document, (const uint8_t *)style, sizeof style - 1, &error);
    if (!is_set && error) svg->g_error_free(error);
}

calotype_svg_shape calotype_svg_get_shape(calotype_svg *document) {
    const calotype_svg_calls *svg = calotype_svg_load(NULL, 0);
    int has_width = 0, has_height = 0, has_box = 0;
    rsvg_length width = {1, 0}, height = {1, 0};
    rsvg_rectangle box = {0, 0, 0, 0};
    svg->rsvg_handle_get_intrinsic_dimensions(
        document, &has_width, &width, &has_height, &height, &has_box, &box);
    // Before version 2.54 a missing side is reported as absent.
    enum { unit_em = 2, unit_ex = 3 };
    int has_letters = width.unit == unit_em || width.unit == unit_ex || height.unit == unit_em
        || height.unit == unit_ex;
    if (has_letters && !has_box) use_letters_of_browsers(svg, document);
    return (calotype_svg_shape){
        .width = has_width ? width.length : 1,
        .height = has_height ? height.length : 1,
        .width_unit = has_width ? width.unit : 0,
        .height_unit = has_height ? height.unit : 0,
        .view_width = has_box ? box.width : 0,
        .view_height = has_box ? box.height : 0,
    };
}

/// Converts cairo's pixels, words of premultiplied alpha, red, green and blue, to bytes of red, green, blue
/// and straight alpha; in place.
static void divide_alpha_out(uint8_t *pixels, size_t count) {
    for (uint8_t *pixel = pixels; count > 0; count--, pixel += 4) {
        uint32_t word;
        memcpy(&word, pixel, sizeof word);
        uint32_t alpha = word >> 24, red = word >> 16 & 255, green = word >> 8 & 255, blue = word & 255;
        if (alpha == 0) red = green = blue = 0;
        else if (alpha < 255) {
            red = (red * 255 + alpha / 2) / alpha;
            green = (green * 255 + alpha / 2) / alpha;
            blue = (blue * 255 + alpha / 2) / alpha;
        }
        pixel[0] = red > 255 ? 255 : (uint8_t)red;
        pixel[1] = green > 255 ? 255 : (uint8_t)green;
        pixel[2] = blue > 255 ? 255 : (uint8_t)blue;
        pixel[3] = (uint8_t)alpha;
    }
}

calotype_svg_status calotype_svg_draw(
    calotype_svg *document, double natural_width, double natural_height, uint8_t *pixels, int32_t width,
    int32_t height, calotype_svg_message *message) {
    const calotype_svg_calls *svg = calotype_svg_load(NULL, 0);
    memset(pixels, 0, (size_t)width * (size_t)height * 4);
    void *surface =
        svg->cairo_image_surface_create_for_data(pixels, cairo_argb32, width, height, 4 * width);
    void *context = svg->cairo_create(surface);
    svg->cairo_scale(context, width / natural_width, height / natural_height);
    rsvg_rectangle viewport = {0, 0, natural_width, natural_height};
    rsvg_error *error = NULL;
    int is_drawn = svg->rsvg_handle_render_document(document, context, &viewport, &error);
    int failure = svg->cairo_status(context);
    svg->cairo_destroy(context);
    svg->cairo_surface_flush(surface);
    svg->cairo_surface_destroy(surface);
    if (!is_drawn) return take_error(svg, error, message);
    if (failure) {
        snprintf(message->text, sizeof message->text, "cairo: %s", svg->cairo_status_to_string(failure));
        return calotype_svg_out_of_memory;
    }
    divide_alpha_out(pixels, (size_t)width * (size_t)height);
    return calotype_svg_ok;
}

void calotype_svg_close(calotype_svg *document) {
    const calotype_svg_calls *svg = calotype_svg_load(NULL, 0);
    if (svg && document) svg->g_object_unref(document);
}

calotype_svg_status calotype_svg_inflate(
    const void *bytes, size_t count, size_t limit, void **inflated, size_t *inflated_count,
    calotype_svg_message *message) {
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater) return calotype_svg_out_of_memory;
    calotype_svg_status status = calotype_svg_limit_exceeded;
    void *room = NULL;
    // Retries with four times the size, so that all tries together cost little more than the last.
    for (size_t size = 64 << 10;; size = size > limit / 4 ? limit : 4 * size) {
        if (size > limit) size = limit;
        free(room);
        room = malloc(size);
        if (!room) {
            status = calotype_svg_out_of_memory;
            break;
        }
        size_t taken;
        enum libdeflate_result result =
            libdeflate_gzip_decompress_ex(inflater, bytes, count, room, size, &taken, inflated_count);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE && size < limit) continue;
        if (result == LIBDEFLATE_SUCCESS) status = calotype_svg_ok;
        if (result == LIBDEFLATE_BAD_DATA) status = calotype_svg_damaged;
        break;
    }
    libdeflate_free_decompressor(inflater);
    if (status == calotype_svg_damaged) {
        snprintf(message->text, sizeof message->text, "the gzip data is damaged or truncated");
    }
    if (status == calotype_svg_limit_exceeded) {
        snprintf(message->text, sizeof message->text, "the document inflates to more than %zu bytes", limit);
    }
    if (status == calotype_svg_ok) *inflated = room;
    else free(room);
    return status;
}
