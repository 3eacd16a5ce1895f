#ifndef CC_PNG_READER_H
#define CC_PNG_READER_H

#include "cc_png.h"
#include "png_failure.h"

/// libpng's structs for one image, and the bytes that they read.
struct cc_png_reader {
    png_structp png;
    png_infop info;
    cc_png_failure failure;
    /// The unread bytes.
    cc_bytes rest;
    /// Returns the bytes after `rest`, none at the end; NULL if `rest` contains all.
    cc_bytes (*next_part)(struct cc_png_reader *reader);
    /// Valid once the header has been read.
    cc_png_header header;
    /// True if 16 bits are retained.
    int keeps_depth;
    /// For colours given by code points.
    cc_output coded_profile;
};

/// Creates libpng's structs and sets limits; `failure.exit` must be set. `cc_png_clear` frees them.
void cc_png_make(cc_png_reader *reader);

void cc_png_clear(cc_png_reader *reader);

/// Fills in the header and sets the matching transforms, once libpng is before the pixels.
void cc_png_describe(cc_png_reader *reader);

/// Returns whether libpng creates alpha from a transparent colour or palette entries, once it is before the
/// pixels.
int cc_png_has_transparency(const cc_png_reader *reader);

/// Exits unless libpng's output has this many bytes a pixel, with the matching channels and depth: 1, 3 or 4
/// channels of 8 bits, or 4 of 16. Called after `png_read_update_info`.
void cc_png_check_layout(const cc_png_reader *reader, uint32_t bytes_per_pixel);

/// Adds opaque alpha to pixels without alpha.
void cc_png_add_alpha(cc_png_reader *reader);

/// Exits if the file is Apple's variant of PNG, which has the same signature.
void cc_png_check_variant(png_structp png, cc_bytes file);

/// Reads up to the pixels, through `rest` and `next_part`.
void cc_png_read_header(cc_png_reader *reader);

/// Reads all pixels and the chunks after them without libpng, which has read up to the pixels; 0 if that is
/// not supported, and the rows are then undefined.
///
/// It supports files of 8 bits a channel that are not interlaced and completely regular: any damage or
/// irregularity is left to libpng.
int cc_png_read_plainly(const cc_png_reader *reader, const cc_color_transform *color, cc_rows rows);

/// Reads all pixels of the given size, and the chunks after them.
void cc_png_read_pixels(
    cc_png_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows);

#endif
