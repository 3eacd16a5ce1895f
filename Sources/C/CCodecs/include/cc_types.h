#ifndef CC_TYPES_H
#define CC_TYPES_H

#include <stddef.h>
#include <stdint.h>

/// What came of a call.
typedef enum __attribute__((enum_extensibility(closed))) cc_status : int32_t {
    cc_status_ok,
    /// The input ends before the image does.
    cc_status_truncated,
    /// The bytes break the rules of their format.
    cc_status_corrupt,
    /// It would cost more than the limit that was given.
    cc_status_limit_exceeded,
    /// The library knows the feature and does not have it.
    cc_status_unsupported,
    cc_status_out_of_memory,
    /// The library failed where it should not.
    cc_status_failure,
    /// The work of the thread was told to end.
    cc_status_stopped,
} cc_status;

/// Room for the text of an error, in the caller's memory; always ends with a zero byte.
typedef struct cc_message {
    char text[256];
} cc_message;

/// Bytes to be read; `start` is NULL where there are none to speak of.
typedef struct cc_bytes {
    const uint8_t *start;
    size_t count;
} cc_bytes;

/// Rows of pixels in the caller's memory.
typedef struct cc_rows {
    uint8_t *bytes;
    /// From one row to the next.
    size_t row_byte_count;
    uint32_t row_count;
} cc_rows;

/// A picture to be read, its rows without padding.
typedef struct cc_pixels {
    const uint8_t *bytes;
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA with alpha not multiplied; 8 for RGBA of 16 bits a channel.
    uint32_t bytes_per_pixel;
    /// Whether 16 bits are a half float; else an integer in the order of the machine.
    int32_t is_float;
    /// The ICC profile of the colours, or code points of ITU-T H.273; sRGB where there is neither.
    cc_bytes profile;
    uint32_t primaries;
    uint32_t transfer;
    /// The TIFF block of the Exif that is written, by the encoders of JPEG, PNG, WebP and AVIF; no bytes for
    /// none.
    cc_bytes exif;
} cc_pixels;

/// Bytes that were written. They come from `malloc` and are the caller's, who calls `free`; NULL where the
/// call failed.
typedef struct cc_output {
    uint8_t *bytes;
    size_t count;
} cc_output;

/// Gives back what a writer has of its buffer beyond the bytes.
void cc_output_trim(cc_output *output);

#endif
