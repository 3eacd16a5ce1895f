#ifndef CC_PNG_READER_H
#define CC_PNG_READER_H

#include "cc_png.h"
#include "png_failure.h"

/// libpng's structs for one image, and the bytes that they read.
struct cc_png_reader {
    png_structp png;
    png_infop info;
    cc_png_failure failure;
    /// What has not been read yet.
    cc_bytes rest;
    /// Gives the bytes behind `rest`, none where they end; NULL where `rest` is all there is.
    cc_bytes (*next_part)(struct cc_png_reader *reader);
    /// What is known once the header has been read.
    cc_png_header header;
    /// Whether 16 bits stay so.
    int keeps_depth;
    /// Where the colours are named by codes.
    cc_output coded_profile;
};

/// Makes libpng's structs and sets limits; `failure.exit` must be set. `cc_png_clear` frees them.
void cc_png_make(cc_png_reader *reader);

void cc_png_clear(cc_png_reader *reader);

/// Fills in the header and asks for the transforms that lead to it, once libpng is before the pixels.
void cc_png_describe(cc_png_reader *reader);

/// Whether libpng makes alpha of a transparent colour or of palette entries, once it is before the pixels.
int cc_png_has_transparency(const cc_png_reader *reader);

/// Leaves unless the pixels that libpng will write have this many bytes, and the channels and the depth that
/// go with them: 1, 3 or 4 channels of 8 bits, or 4 of 16. Called after `png_read_update_info`.
void cc_png_check_layout(const cc_png_reader *reader, uint32_t bytes_per_pixel);

/// Makes alpha of 255 part of pixels that have none.
void cc_png_add_alpha(cc_png_reader *reader);

/// Leaves where the file is not PNG but Apple's variant of it, which has the same signature.
void cc_png_check_variant(png_structp png, cc_bytes file);

/// Reads up to the pixels, through `rest` and `next_part`.
void cc_png_read_header(cc_png_reader *reader);

/// Reads all pixels and the chunks after them without libpng, which has read up to the pixels; 0 where that
/// does not serve, and the rows then hold anything.
///
/// It serves files of 8 bits a channel that are not interlaced, of which everything is as it should be: any
/// damage, and whatever is out of the ordinary, is left to libpng to judge.
int cc_png_read_plainly(const cc_png_reader *reader, const cc_color_transform *color, cc_rows rows);

/// Reads all pixels, which have so many bytes each, and the chunks after them.
void cc_png_read_pixels(
    cc_png_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows);

#endif
