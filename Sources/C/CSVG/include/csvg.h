#ifndef CALOTYPE_CSVG_H
#define CALOTYPE_CSVG_H

#include <stddef.h>
#include <stdint.h>

// Draws SVG by librsvg, which is loaded when the first document is opened, so that only the process that
// draws has it. Nothing outside a document is loaded: it has no address that a reference could be relative
// to.

typedef enum __attribute__((enum_extensibility(closed))) {
    calotype_svg_ok = 0,
    // librsvg is not installed, or of a version that is not known.
    calotype_svg_unavailable = 1,
    calotype_svg_damaged = 2,
    calotype_svg_limit_exceeded = 3,
    calotype_svg_out_of_memory = 4,
} calotype_svg_status;

// What went wrong, on one line; empty where nothing did.
typedef struct {
    char text[200];
} calotype_svg_message;

// A document that has been read.
typedef struct calotype_svg calotype_svg;

// What a document says of its size. A side that is not stated is 100 %.
typedef struct {
    double width;
    double height;
    // RsvgUnit: 0 %, 1 px, 2 em, 3 ex, 4 in, 5 cm, 6 mm, 7 pt, 8 pc.
    int32_t width_unit;
    int32_t height_unit;
    // Of the viewBox; 0 where there is none.
    double view_width;
    double view_height;
} calotype_svg_shape;

// The folders of the system's fonts and what else is read while documents are drawn, with NULL behind the
// last; NULL where librsvg is not there.
const char *const *calotype_svg_readable(void);

// Reads a document; `document` is to be closed.
calotype_svg_status calotype_svg_open(
    const void *bytes, size_t count, calotype_svg **document, calotype_svg_message *message);

calotype_svg_shape calotype_svg_get_shape(calotype_svg *document);

// Draws a document that is `natural_width` by `natural_height` large into `width` by `height` pixels of red,
// green, blue and alpha, which is not multiplied into the colours; 4 * width bytes a row.
calotype_svg_status calotype_svg_draw(
    calotype_svg *document, double natural_width, double natural_height, uint8_t *pixels, int32_t width,
    int32_t height, calotype_svg_message *message);

void calotype_svg_close(calotype_svg *document);

// Inflates what gzip (RFC 1952) has made, its first member, to at most `limit` bytes; what `inflated` points
// to is to be freed.
calotype_svg_status calotype_svg_inflate(
    const void *bytes, size_t count, size_t limit, void **inflated, size_t *inflated_count,
    calotype_svg_message *message);

#endif
