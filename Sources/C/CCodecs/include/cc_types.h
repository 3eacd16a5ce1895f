#ifndef CC_TYPES_H
#define CC_TYPES_H

#include <stddef.h>
#include <stdint.h>

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) cc_status : int32_t {
    cc_status_ok,
    /// The input ends before the image is complete.
    cc_status_truncated,
    /// The bytes violate their format.
    cc_status_corrupt,
    /// The cost would exceed the given limit.
    cc_status_limit_exceeded,
    /// The library does not support the feature.
    cc_status_unsupported,
    cc_status_out_of_memory,
    /// An unexpected failure of the library.
    cc_status_failure,
    /// The work of the thread was stopped.
    cc_status_stopped,
} cc_status;

/// The text of an error, in the caller's memory; always ends with a zero byte.
typedef struct cc_message {
    char text[256];
} cc_message;

/// Input bytes; `start` is NULL if there are none.
typedef struct cc_bytes {
    const uint8_t *start;
    size_t count;
} cc_bytes;

/// Rows of pixels in the caller's memory.
typedef struct cc_rows {
    uint8_t *bytes;
    /// The distance between rows.
    size_t row_byte_count;
    uint32_t row_count;
} cc_rows;

/// An input image, its rows without padding.
typedef struct cc_pixels {
    const uint8_t *bytes;
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA with straight alpha; 8 for RGBA of 16 bits a channel.
    uint32_t bytes_per_pixel;
    /// True if 16 bits are a half float; otherwise an integer in the machine's byte order.
    int32_t is_float;
    /// The ICC profile of the colours, or code points of ITU-T H.273; sRGB without both.
    cc_bytes profile;
    uint32_t primaries;
    uint32_t transfer;
    /// The metadata to write, by the encoders of JPEG, PNG, WebP and AVIF; empty for none: the TIFF block of
    /// the Exif, the XMP packet, and the records of IPTC, which only JPEG holds. JPEG leaves out what is too
    /// large for a segment.
    cc_bytes exif;
    cc_bytes xmp;
    cc_bytes iptc;
} cc_pixels;

/// Output bytes from `malloc`, owned by the caller, who calls `free`; NULL if the call failed.
typedef struct cc_output {
    uint8_t *bytes;
    size_t count;
} cc_output;

/// Releases the unused capacity of a writer's buffer.
void cc_output_trim(cc_output *output);

#endif
