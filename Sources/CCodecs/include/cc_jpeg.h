#ifndef CC_JPEG_H
#define CC_JPEG_H

#include "cc_color.h"
#include "cc_types.h"
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

typedef struct cc_jpeg_encoding {
    /// 1...100.
    int32_t quality;
    int32_t is_progressive;
    /// Luma samples for each chroma sample, across and down: 1 or 2.
    int32_t chroma_across;
    int32_t chroma_down;
    /// Red, green and blue of what shows through translucent pixels.
    uint8_t background[3];
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_jpeg_encoding;

/// Encodes gray as gray and the rest as YCbCr, without metadata.
cc_status cc_jpeg_encode(
    const cc_pixels *pixels, const cc_jpeg_encoding *encoding, cc_output *output, cc_message *message);

#endif
