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
    /// The kind of the samples: gray, rgb (YCbCr too), or cmyk_inverted (YCCK too).
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
    /// Bytes of coefficients above which a file of several scans is refused: 2 for each sample, blocks whole.
    uint64_t coefficient_byte_max;
    /// Applied to the rows while they are in the processor's cache; may be NULL. For CMYK, NULL means the
    /// plain product (255 − C)(255 − K) / 255.
    const cc_color_transform *color;
} cc_jpeg_decoding;

/// Decodes all rows into `rows`, which is to hold ceil(height × eighths / 8) of them.
///
/// Damage of which the library warns is an error; see `JPEGDecoder` for what it lets pass. To be called once.
cc_status cc_jpeg_decode(
    cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding, cc_rows rows, cc_message *message);

/// Whether the bytes ended before the image did, although all of its pixels were there; once it is decoded.
int32_t cc_jpeg_lacks_end(const cc_jpeg_reader *reader);

void cc_jpeg_close(cc_jpeg_reader *reader);

/// What the markers of a file tell; nothing is decoded for it.
typedef struct cc_jpeg_outline {
    /// Of the first frame header; 0 where there is none.
    uint32_t width;
    uint32_t height;
    uint64_t scan_count;
    /// Whether its samples are predicted from their neighbours (ITU-T T.81 annex H).
    int32_t is_lossless;
    /// Whether there is an end.
    int32_t is_whole;
} cc_jpeg_outline;

/// Walks over the markers as libjpeg does, to the end of the image or of the bytes.
cc_jpeg_outline cc_jpeg_outline_of(cc_bytes file);

// MARK: - While bytes arrive

/// A JPEG image whose bytes are still arriving.
///
/// A baseline image is decoded row by row; of one of several scans the coefficients are kept (2 bytes each:
/// up to 8 bytes a pixel for four components), and rows are made of them when they are wanted.
typedef struct cc_jpeg_incremental cc_jpeg_incremental;

typedef struct cc_jpeg_progress {
    /// Whether the header has been read, so that the decode can be started.
    int32_t has_header;
    /// Whether the bytes can be decoded as they come; arithmetic coding cannot stop on the way.
    int32_t can_stop;
    /// Whether the image has been read to its end.
    int32_t is_whole;
    /// As `cc_jpeg_lacks_end`.
    int32_t lacks_end;
    /// Rows of the result that `cc_jpeg_incremental_copy` has something for, from the top.
    uint32_t row_count;
    /// Grows whenever there is something new to be seen.
    uint64_t step;
} cc_jpeg_progress;

/// Makes a decoder, to be given back with `cc_jpeg_incremental_close`.
cc_status cc_jpeg_incremental_open(cc_jpeg_incremental **image, cc_message *message);

/// Decodes what there is: up to the header, or once started, all that the bytes suffice for.
///
/// `file` is the file from its start to the last byte that has come, at any address; the bytes are not needed
/// after the call. With `is_end` no more will come: what is missing then is `cc_status_truncated`.
cc_status cc_jpeg_incremental_advance(
    cc_jpeg_incremental *image, cc_bytes file, int32_t is_end, cc_message *message);

cc_jpeg_progress cc_jpeg_incremental_progress(const cc_jpeg_incremental *image);

/// The header, once there is one. What it points to is valid until the next call.
const cc_jpeg_header *cc_jpeg_incremental_header(const cc_jpeg_incremental *image);

/// Starts the decode. The colour transform must outlive the image.
cc_status cc_jpeg_incremental_start(
    cc_jpeg_incremental *image, const cc_jpeg_decoding *decoding, cc_message *message);

/// Writes all rows into `rows`, sized as for `cc_jpeg_decode`: those that have not come as zeros, of several
/// scans what they tell by now.
cc_status cc_jpeg_incremental_copy(cc_jpeg_incremental *image, cc_rows rows, cc_message *message);

/// Whether a scan of the whole file has a fill byte before a 0xFF of data, where none may stand.
///
/// libjpeg-turbo takes it for a marker where many bytes follow, and decodes the block once more on top of
/// what it has made of it: the pixels depend on how many bytes are there.
int32_t cc_jpeg_incremental_has_fill(const cc_jpeg_incremental *image, cc_bytes file);

void cc_jpeg_incremental_close(cc_jpeg_incremental *image);

// MARK: - Encoding

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

/// Encodes gray as gray and the rest as YCbCr; of metadata the Exif of the pixels alone.
cc_status cc_jpeg_encode(
    const cc_pixels *pixels, const cc_jpeg_encoding *encoding, cc_output *output, cc_message *message);

#endif
