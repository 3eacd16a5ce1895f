#ifndef CC_JPEG_H
#define CC_JPEG_H

#include "cc_color.h"
#include "cc_types.h"
#include <stddef.h>

/// An open JPEG image; libjpeg-turbo 2.1.5, the libjpeg API.
typedef struct cc_jpeg_reader cc_jpeg_reader;

/// The maximum side that the library reads and writes, in pixels.
extern const uint32_t cc_jpeg_side_max;

typedef struct cc_jpeg_header {
    uint32_t width;
    uint32_t height;
    /// The channels of the samples: gray, rgb (also for YCbCr), or cmyk_inverted (also for YCCK).
    cc_channels channels;
    /// The decoded bytes per pixel: 1 for gray, otherwise 3.
    uint32_t bytes_per_pixel;
    /// The TIFF block of the first Exif segment, if there is one; the reader's memory.
    cc_bytes exif;
    /// The colour profile, its segments joined, if there is one; the reader's memory.
    cc_bytes profile;
} cc_jpeg_header;

/// Reads up to the first scan. The bytes must outlive the reader, which is freed by `cc_jpeg_close`; on
/// failure none is created.
cc_status cc_jpeg_open(cc_bytes file, cc_jpeg_reader **reader, cc_jpeg_header *header, cc_message *message);

typedef struct cc_jpeg_decoding {
    /// The decode size in eighths of the stored size: 1...8, rounded up.
    uint32_t eighths;
    /// The scans × pixels above which a file of several scans is rejected.
    uint64_t scan_pixel_max;
    /// The bytes of coefficients above which a file of several scans is rejected: 2 for each sample of whole
    /// blocks.
    uint64_t coefficient_byte_max;
    /// Applied to the rows while they are in the processor's cache; may be NULL. For CMYK, NULL means the
    /// plain product (255 − C)(255 − K) / 255.
    const cc_color_transform *color;
} cc_jpeg_decoding;

/// Decodes all rows into `rows`, which must have ceil(height × eighths / 8) of them.
///
/// Damage of which the library warns is an error; see `JPEGDecoder` for undetected damage. Call it once.
cc_status cc_jpeg_decode(
    cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding, cc_rows rows, cc_message *message);

/// Returns whether the bytes ended before the image did, although all of its pixels were there; valid after
/// decoding.
int32_t cc_jpeg_lacks_end(const cc_jpeg_reader *reader);

void cc_jpeg_close(cc_jpeg_reader *reader);

/// The content of a file's markers, read without decoding.
typedef struct cc_jpeg_outline {
    /// The size in the first frame header; 0 without one.
    uint32_t width;
    uint32_t height;
    uint64_t scan_count;
    /// True if its samples are predicted from their neighbours (ITU-T T.81 annex H).
    int32_t is_lossless;
    /// True if there is an end marker.
    int32_t is_whole;
} cc_jpeg_outline;

/// Reads the markers like libjpeg, to the end of the image or of the bytes.
cc_jpeg_outline cc_jpeg_outline_of(cc_bytes file);

// MARK: - While bytes arrive

/// A JPEG image whose bytes are still arriving.
///
/// A baseline image is decoded row by row. For several scans the coefficients are stored (2 bytes each: up to
/// 8 bytes a pixel for four components), and rows are computed on demand.
typedef struct cc_jpeg_incremental cc_jpeg_incremental;

typedef struct cc_jpeg_progress {
    /// True if the header has been read, so that the decode can be started.
    int32_t has_header;
    /// True if the bytes can be decoded as they arrive; arithmetic coding cannot be suspended.
    int32_t can_stop;
    /// True if the image has been read to its end.
    int32_t is_whole;
    /// See `cc_jpeg_lacks_end`.
    int32_t lacks_end;
    /// The number of rows, from the top, for which `cc_jpeg_incremental_copy` has content.
    uint32_t row_count;
    /// Increases whenever new content is available.
    uint64_t step;
} cc_jpeg_progress;

/// Creates a decoder, to be freed by `cc_jpeg_incremental_close`.
cc_status cc_jpeg_incremental_open(cc_jpeg_incremental **image, cc_message *message);

/// Decodes the available bytes: up to the header, or once started, as far as possible.
///
/// `file` contains the file from its start to the last available byte, at any address; the bytes are not
/// needed after the call. With `is_end` no more will arrive: missing bytes are then `cc_status_truncated`.
cc_status cc_jpeg_incremental_advance(
    cc_jpeg_incremental *image, cc_bytes file, int32_t is_end, cc_message *message);

cc_jpeg_progress cc_jpeg_incremental_progress(const cc_jpeg_incremental *image);

/// Returns the header, once it is available. Its pointers are valid until the next call.
const cc_jpeg_header *cc_jpeg_incremental_header(const cc_jpeg_incremental *image);

/// Starts the decode. The colour transform must outlive the image.
cc_status cc_jpeg_incremental_start(
    cc_jpeg_incremental *image, const cc_jpeg_decoding *decoding, cc_message *message);

/// Writes all rows into `rows`, sized as for `cc_jpeg_decode`: missing rows as zeros, and for several scans
/// their current state.
cc_status cc_jpeg_incremental_copy(cc_jpeg_incremental *image, cc_rows rows, cc_message *message);

/// Returns whether a scan of the whole file has an invalid fill byte before a 0xFF of data.
///
/// With many following bytes, libjpeg-turbo treats it as a marker and decodes the block once more on top of
/// the previous result: the pixels depend on the number of available bytes.
int32_t cc_jpeg_incremental_has_fill(const cc_jpeg_incremental *image, cc_bytes file);

void cc_jpeg_incremental_close(cc_jpeg_incremental *image);

// MARK: - Encoding

typedef struct cc_jpeg_encoding {
    /// 1...100.
    int32_t quality;
    int32_t is_progressive;
    /// Luma samples for each chroma sample, horizontally and vertically: 1 or 2.
    int32_t chroma_across;
    int32_t chroma_down;
    /// Red, green and blue of the colour behind translucent pixels.
    uint8_t background[3];
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_jpeg_encoding;

/// Encodes gray as gray and the rest as YCbCr, with the colours and the metadata of the pixels.
cc_status cc_jpeg_encode(
    const cc_pixels *pixels, const cc_jpeg_encoding *encoding, cc_output *output, cc_message *message);

#endif
