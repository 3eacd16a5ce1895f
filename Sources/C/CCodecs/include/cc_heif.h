#ifndef CC_HEIF_H
#define CC_HEIF_H

#include "cc_color.h"
#include "cc_types.h"

/// The primary image of an open HEIF file; libheif 1.15 on libde265, on the caller's thread.
///
/// The first call initializes libheif and registers a stricter decoder of HEVC, for the whole process;
/// readers share nothing else.
typedef struct cc_heif_reader cc_heif_reader;

typedef struct cc_heif_header {
    /// The size after all transformations.
    uint32_t width;
    uint32_t height;
    int32_t has_alpha;
    /// True if the file contains an ICC profile for the image.
    int32_t has_profile;
    /// The codes of the primaries and the transfer curve (ITU-T H.273 tables 2 and 3) without an ICC profile,
    /// otherwise 2.
    uint32_t primaries;
    uint32_t transfer;
    /// The maximum bits of a sample.
    uint32_t bit_depth;
    /// The source profile of a conversion: the ICC profile, or one created for coded primaries and transfer
    /// other than those of sRGB; the reader's memory.
    cc_bytes profile;
} cc_heif_header;

/// Reads all boxes. No side of an item may be longer than `side_max`. The bytes must outlive the reader,
/// which is freed by `cc_heif_close`; on failure none is created.
cc_status cc_heif_open(
    cc_bytes file, uint32_t side_max, cc_heif_reader **reader, cc_heif_header *header, cc_message *message);

/// Decodes the primary image with its transformations, 8 bits a channel with rounding, straight alpha.
///
/// `bytes_per_pixel` is 1 for an image that is known to be gray, 3, 4 with alpha, or 8 for RGBA of 16 bits a
/// channel. `color` is applied to the rows and may be NULL. Call it once.
cc_status cc_heif_decode(
    cc_heif_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

void cc_heif_close(cc_heif_reader *reader);

/// Sets the fill pattern of HEVC picture memory for later decodes on this thread; each value selects another
/// pattern, and the default is 0. No pixel depends on it: tests decode with two patterns and compare.
void cc_heif_set_filling(uint8_t value);

typedef struct cc_heif_encoding {
    /// 0...100 on the scale of libheif.
    int32_t quality;
    /// True if every pixel is preserved: RGB without conversion, whatever the quality.
    int32_t is_lossless;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_heif_encoding;

/// Encodes HEVC with x265, if libheif includes it (otherwise `cc_status_unsupported`), on the caller's thread
/// and one of x265; no metadata.
cc_status cc_heif_encode(
    const cc_pixels *pixels, const cc_heif_encoding *encoding, cc_output *output, cc_message *message);

#endif
