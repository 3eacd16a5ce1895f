#ifndef CC_HEIF_H
#define CC_HEIF_H

#include "cc_color.h"
#include "cc_types.h"

/// A HEIF image that is being read: its primary image; libheif 1.15 on libde265, in the caller's thread.
///
/// The first call sets libheif up and gives it a stricter decoder of HEVC, for the whole process; after that
/// readers share nothing.
typedef struct cc_heif_reader cc_heif_reader;

typedef struct cc_heif_header {
    /// After all transformations.
    uint32_t width;
    uint32_t height;
    int32_t has_alpha;
    /// Whether the file holds an ICC profile for the image.
    int32_t has_profile;
    /// The codes of the primaries and the transfer curve (ITU-T H.273 tables 2 and 3) where there is no ICC
    /// profile, else 2.
    uint32_t primaries;
    uint32_t transfer;
    /// The most bits that a sample has.
    uint32_t bit_depth;
    /// What to convert from: the ICC profile, or one made for the coded primaries and transfer where these
    /// are not those of sRGB; the reader's memory.
    cc_bytes profile;
} cc_heif_header;

/// Reads all boxes. No side of an item may be longer than `side_max`. The bytes must outlive the reader,
/// which is given back with `cc_heif_close`; where the call fails there is none.
cc_status cc_heif_open(
    cc_bytes file, uint32_t side_max, cc_heif_reader **reader, cc_heif_header *header, cc_message *message);

/// Decodes the primary image with its transformations, 8 bits a channel with rounding, alpha not multiplied.
///
/// `bytes_per_pixel` is 1 for an image that is known to be gray, 3, 4 where there is alpha, or 8 for RGBA of
/// 16 bits a channel. `color` is
/// applied to the rows and may be NULL. To be called once.
cc_status cc_heif_decode(
    cc_heif_reader *reader, uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

void cc_heif_close(cc_heif_reader *reader);

/// Sets what the memory of HEVC pictures is filled with before they are decoded, in this thread from now on;
/// each value stands for another pattern, and 0 is the one unless set. No pixel depends on it: tests decode
/// under two and compare.
void cc_heif_set_filling(uint8_t value);

typedef struct cc_heif_encoding {
    /// 0...100 on the scale of libheif.
    int32_t quality;
    /// Whether every pixel is kept as it is: RGB as such, whatever the quality.
    int32_t is_lossless;
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_heif_encoding;

/// Encodes HEVC with x265, where libheif has it (else `cc_status_unsupported`), in the caller's thread and
/// x265's one; no metadata.
cc_status cc_heif_encode(
    const cc_pixels *pixels, const cc_heif_encoding *encoding, cc_output *output, cc_message *message);

#endif
