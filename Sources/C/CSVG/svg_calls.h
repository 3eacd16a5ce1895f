#ifndef CALOTYPE_SVG_CALLS_H
#define CALOTYPE_SVG_CALLS_H

#include <stddef.h>
#include <stdint.h>

// The functions of librsvg, cairo, GLib and fontconfig that render a document, as declared by
// `librsvg/rsvg.h`, `cairo.h`, `glib-object.h` and `fontconfig/fontconfig.h`. They are declared here because
// none of these libraries is linked, and SwiftPM cannot use the headers of a library alone. All functions are
// older than librsvg 2.52.
// linked: SwiftPM has no way to take the headers of a library alone. All of them are older than librsvg 2.52.

typedef struct {
    uint32_t domain;
    int32_t code;
    char *message;
} rsvg_error;

typedef struct {
    double length;
    int32_t unit;
} rsvg_length;

typedef struct {
    double x, y, width, height;
} rsvg_rectangle;

enum { cairo_argb32 = 0 };

#define CALOTYPE_EACH_SVG_CALL(X) \
    X(void *, rsvg_handle_new_from_data, const uint8_t *, size_t, rsvg_error **) \
    X(void, rsvg_handle_set_dpi, void *, double) \
    X(int, rsvg_handle_set_stylesheet, void *, const uint8_t *, size_t, rsvg_error **) \
    X(void, rsvg_handle_get_intrinsic_dimensions, void *, int *, rsvg_length *, int *, rsvg_length *, int *, \
      rsvg_rectangle *) \
    X(int, rsvg_handle_render_document, void *, void *, const rsvg_rectangle *, rsvg_error **) \
    X(void *, cairo_image_surface_create_for_data, unsigned char *, int, int, int, int) \
    X(void, cairo_surface_flush, void *) \
    X(void, cairo_surface_destroy, void *) \
    X(void *, cairo_create, void *) \
    X(void, cairo_scale, void *, double, double) \
    X(int, cairo_status, void *) \
    X(const char *, cairo_status_to_string, int) \
    X(void, cairo_destroy, void *) \
    X(void, g_object_unref, void *) \
    X(void, g_error_free, rsvg_error *) \
    X(void *, FcConfigGetFontDirs, void *) \
    X(unsigned char *, FcStrListNext, void *) \
    X(void, FcStrListDone, void *)

#define CALOTYPE_SVG_POINTER(result, name, ...) result (*name)(__VA_ARGS__);
typedef struct {
    CALOTYPE_EACH_SVG_CALL(CALOTYPE_SVG_POINTER)
} calotype_svg_calls;
#undef CALOTYPE_SVG_POINTER

// Returns the functions; NULL with a message if librsvg cannot be loaded.
const calotype_svg_calls *calotype_svg_load(char *message, size_t size);

#endif
