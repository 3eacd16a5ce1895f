#ifndef CC_JPEG_H
#define CC_JPEG_H

#include "cc_color.h"
#include "cc_status.h"
#include <stddef.h>

/// A JPEG image that is being read; libjpeg-turbo 2.1.5, the libjpeg API.
typedef struct cc_jpeg_reader cc_jpeg_reader;

/// The largest side that the library reads and writes, in pixels.
extern const uint32_t cc_jpeg_side_max;

typedef struct cc_jpeg_header {
    uint32_t width;
    uint32_t height;
    /// What the samples are: gray, rgb (YCbCr too), cmyk or cmyk_inverted (YCCK too).
    cc_channels channels;
    /// Bytes a pixel of what is decoded: 1 for gray, else 3.
    uint32_t bytes_per_pixel;
    /// The TIFF block of the first Exif segment, where there is one; the reader's memory.
    cc_bytes exif;
    /// The colour profile, its segments joined, where there is one; the reader's memory.
    cc_bytes profile;
} cc_jpeg_header;

/// Reads up to the first scan. The bytes must outlive the reader, which is given back with `cc_jpeg_close`;
/// where the call fails there is none.
cc_status cc_jpeg_open(cc_bytes file, cc_jpeg_reader **reader, cc_jpeg_header *header, cc_message *message);

typedef struct cc_jpeg_decoding {
    /// The size to decode at, in eighths of the stored size: 1...8, rounded up.
    uint32_t eighths;
    /// Scans × pixels above which a file of several scans is refused.
    uint64_t scan_pixel_max;
    /// Applied to the rows while they are in the processor's cache; may be NULL. For CMYK, NULL means the
    /// plain product (255 − C)(255 − K) / 255.
    const cc_color_transform *color;
} cc_jpeg_decoding;

/// Decodes all rows into `rows`, which is to hold ceil(height × eighths / 8) of them.
///
/// Every kind of damage that changes or loses pixels is an error. To be called once.
cc_status cc_jpeg_decode(
    cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding, cc_rows rows, cc_message *message);

void cc_jpeg_close(cc_jpeg_reader *reader);

#endif
