#ifndef CC_TIFF_H
#define CC_TIFF_H

#include "cc_color.h"
#include "cc_types.h"

/// The first page of a TIFF file that is being read; libvips 8.14 with libtiff 4.5.
typedef struct cc_tiff_reader cc_tiff_reader;

typedef struct cc_tiff_header {
    uint32_t width;
    uint32_t height;
    /// What the samples are, alpha left out: gray, rgb or cmyk.
    cc_channels channels;
    int32_t has_alpha;
    /// Bytes a pixel of what is decoded: 1 for gray, 3 for RGB and CMYK, 4 where there is alpha.
    uint32_t bytes_per_pixel;
    /// What 8 bytes a pixel can hold of the samples: 0 where 8 bits a channel do, 1 for RGBA of 16 bits, 2
    /// for half floats, which single ones are rounded to.
    int32_t depth;
    /// The colour profile, where there is one; the reader's memory.
    cc_bytes profile;
} cc_tiff_header;

/// Reads the tags of the first page, which are known to be sound. The bytes must outlive the reader, which is
/// given back with `cc_tiff_close`; where the call fails there is none.
///
/// Whether the sample after the colours is alpha is said by `has_alpha`; libvips only counts samples.
cc_status cc_tiff_open(
    cc_bytes file, int32_t has_alpha, cc_tiff_reader **reader, cc_tiff_header *header, cc_message *message);

/// Checks that codes of CCITT's group 4 hold all rows of a strip or tile: libtiff does not say where rows are
/// missing, and leaves what it does not decode as the memory was.
///
/// `is_reversed` says that the first bit of a byte is its lowest. Takes 8 bytes a pixel of a row.
cc_status cc_tiff_check_group4(cc_bytes codes, uint32_t width, uint32_t row_count, int32_t is_reversed);

/// Decodes all rows: 8 bits a channel, rounded, alpha not multiplied, not turned.
///
/// Where `keeps_depth` is set and the header says that there is depth to keep, RGBA of 8 bytes a pixel.
///
/// `color` may be NULL; for CMYK that means the plain product (255 − C)(255 − K) / 255. To be called once.
cc_status cc_tiff_decode(
    cc_tiff_reader *reader, int32_t keeps_depth, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

void cc_tiff_close(cc_tiff_reader *reader);

/// How the pixels of a TIFF file are packed.
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
    /// Red, green and blue of what shows through translucent pixels, for JPEG.
    uint8_t background[3];
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_tiff_encoding;

/// Encodes gray, RGB or RGBA as it is, half floats as single ones, with its profile and no other metadata;
/// RGBA as RGB where the compression is JPEG.
cc_status cc_tiff_encode(
    const cc_pixels *pixels, const cc_tiff_encoding *encoding, cc_output *output, cc_message *message);

#endif
