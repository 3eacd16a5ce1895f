#ifndef CALOTYPE_CSVG_H
#define CALOTYPE_CSVG_H

#include <stddef.h>
#include <stdint.h>

// Renders SVG by librsvg, which is loaded when the first document is opened, so that only rendering processes
// load it. Nothing outside a document is loaded: it has no URL that a reference could be relative to.

typedef enum __attribute__((enum_extensibility(closed))) {
    calotype_svg_ok = 0,
    // librsvg is not installed, or its version is unknown.
    calotype_svg_unavailable = 1,
    calotype_svg_damaged = 2,
    calotype_svg_limit_exceeded = 3,
    calotype_svg_out_of_memory = 4,
} calotype_svg_status;

// The error message, on one line; empty on success.
typedef struct {
    char text[200];
} calotype_svg_message;

// A parsed document.
typedef struct calotype_svg calotype_svg;

// The stated size of a document. A missing side is 100 %.
typedef struct {
    double width;
    double height;
    // RsvgUnit: 0 %, 1 px, 2 em, 3 ex, 4 in, 5 cm, 6 mm, 7 pt, 8 pc.
    int32_t width_unit;
    int32_t height_unit;
    // The size of the viewBox; 0 without one.
    double view_width;
    double view_height;
} calotype_svg_shape;

// The folders of the system's fonts and of other files read while rendering, terminated by NULL; NULL without
// librsvg.
const char *const *calotype_svg_readable(void);

// Parses a document; close `document` afterwards.
calotype_svg_status calotype_svg_open(
    const void *bytes, size_t count, calotype_svg **document, calotype_svg_message *message);

calotype_svg_shape calotype_svg_get_shape(calotype_svg *document);

// Renders a document of the size `natural_width` × `natural_height` into `width` × `height` pixels of red,
// green, blue and straight alpha; 4 * width bytes a row.
calotype_svg_status calotype_svg_draw(
    calotype_svg *document, double natural_width, double natural_height, uint8_t *pixels, int32_t width,
    int32_t height, calotype_svg_message *message);

void calotype_svg_close(calotype_svg *document);

// Inflates the first member of gzip data (RFC 1952) to at most `limit` bytes; the caller frees `inflated`.
calotype_svg_status calotype_svg_inflate(
    const void *bytes, size_t count, size_t limit, void **inflated, size_t *inflated_count,
    calotype_svg_message *message);

#endif
