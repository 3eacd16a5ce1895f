#ifndef CC_TIFF_H
#define CC_TIFF_H

#include "cc_color.h"
#include "cc_types.h"

/// The first page of an open TIFF file; libvips 8.14 with libtiff 4.5.
typedef struct cc_tiff_reader cc_tiff_reader;

typedef struct cc_tiff_header {
    uint32_t width;
    uint32_t height;
    /// The channels of the samples, without alpha: gray, rgb or cmyk.
    cc_channels channels;
    int32_t has_alpha;
    /// The decoded bytes per pixel: 1 for gray, 3 for RGB and CMYK, 4 with alpha.
    uint32_t bytes_per_pixel;
    /// The deep format of 8 bytes a pixel: 0 if 8 bits a channel suffice, 1 for RGBA of 16 bits, 2 for half
    /// floats, to which single floats are rounded.
    int32_t depth;
    /// The colour profile, if there is one; the reader's memory.
    cc_bytes profile;
} cc_tiff_header;

/// Reads the tags of the first page, which must have been validated. The bytes must outlive the reader, which
/// is freed by `cc_tiff_close`; on failure none is created.
///
/// `has_alpha` states whether the sample after the colours is alpha; libvips only counts samples.
cc_status cc_tiff_open(
    cc_bytes file, int32_t has_alpha, cc_tiff_reader **reader, cc_tiff_header *header, cc_message *message);

/// Checks that codes of CCITT group 4 contain all rows of a strip or tile: libtiff does not report missing
/// rows, and leaves their memory uninitialized.
///
/// `is_reversed` means that the first bit of a byte is its lowest. Needs 8 bytes a pixel of a row.
cc_status cc_tiff_check_group4(cc_bytes codes, uint32_t width, uint32_t row_count, int32_t is_reversed);

/// Decodes all rows: 8 bits a channel, rounded, straight alpha, not turned.
///
/// RGBA of 8 bytes a pixel if `keeps_depth` is set and the header states a deep format.
///
/// `color` may be NULL; for CMYK that means the plain product (255 − C)(255 − K) / 255. Call it once.
cc_status cc_tiff_decode(
    cc_tiff_reader *reader, int32_t keeps_depth, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

void cc_tiff_close(cc_tiff_reader *reader);

/// The compression of a TIFF file's pixels.
typedef enum __attribute__((enum_extensibility(closed))) cc_tiff_compression : int32_t {
    cc_tiff_compression_none,
    cc_tiff_compression_lzw,
    cc_tiff_compression_deflate,
    cc_tiff_compression_jpeg,
} cc_tiff_compression;

typedef struct cc_tiff_encoding {
    cc_tiff_compression compression;
    /// 1...100, for JPEG.
    int32_t quality;
    /// Red, green and blue of the colour behind translucent pixels, for JPEG.
    uint8_t background[3];
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_tiff_encoding;

/// Encodes gray, RGB or RGBA, half floats as single floats, with its profile and no other metadata; RGBA
/// becomes RGB for JPEG compression.
cc_status cc_tiff_encode(
    const cc_pixels *pixels, const cc_tiff_encoding *encoding, cc_output *output, cc_message *message);

#endif
