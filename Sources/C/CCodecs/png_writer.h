#ifndef CC_PNG_WRITER_H
#define CC_PNG_WRITER_H

#include "cc_png.h"
#include "png_failure.h"

/// libpng's structs for one file, and the bytes that they have written.
typedef struct cc_png_writer {
    png_structp png;
    png_infop info;
    cc_png_failure failure;
    /// During encoding, `count` is the capacity.
    cc_output output;
    size_t used;
    uint64_t byte_count_max;
    /// The profile of code points, if they are written.
    cc_output coded_profile;
} cc_png_writer;

/// Creates libpng's structs, which write to `output`; `failure.exit` must be set. `cc_png_writer_clear` frees
/// them, but not the output.
void cc_png_writer_make(cc_png_writer *writer);

void cc_png_writer_clear(cc_png_writer *writer);

/// `png_set_write_fn`'s function.
void cc_png_write_bytes(png_structp png, png_bytep bytes, size_t byte_count);

/// Writes the TIFF block of an Exif and an XMP packet, if there are any.
void cc_png_write_metadata(png_structp png, const cc_pixels *pixels);

/// Exits if the written size exceeds the limit.
void cc_png_writer_check(const cc_png_writer *writer);

#endif
