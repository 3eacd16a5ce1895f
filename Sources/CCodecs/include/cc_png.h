#ifndef CC_PNG_H
#define CC_PNG_H

#include "cc_color.h"
#include "cc_status.h"

/// A PNG image that is being read; libpng 1.6.39, row by row.
typedef struct cc_png_reader cc_png_reader;

typedef struct cc_png_header {
    uint32_t width;
    uint32_t height;
    /// An alpha channel, or a colour or palette entries that are transparent.
    int32_t has_alpha;
    /// Bytes a pixel of what is decoded: 1 for gray, 3 for RGB and palettes, 4 where there is alpha.
    uint32_t bytes_per_pixel;
    /// The colour profile, inflated, where there is one; the reader's memory.
    cc_bytes profile;
} cc_png_header;

/// Reads up to the pixels. The bytes must outlive the reader, which is given back with `cc_png_close`; where
/// the call fails there is none.
cc_status cc_png_open(cc_bytes file, cc_png_reader **reader, cc_png_header *header, cc_message *message);

/// Decodes the (default) image: 8 bits a channel, 16 bits rounded, palettes and transparent colours resolved.
///
/// Reads to the end of the file: a wrong check sum of critical data and a missing end are errors. `color` is
/// applied to the rows and may be NULL. To be called once.
cc_status cc_png_decode(
    cc_png_reader *reader, const cc_color_transform *color, cc_rows rows, cc_message *message);

void cc_png_close(cc_png_reader *reader);

#endif
