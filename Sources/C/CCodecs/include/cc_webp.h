#ifndef CC_WEBP_H
#define CC_WEBP_H

#include "cc_color.h"
#include "cc_types.h"

/// The maximum side that the library reads and writes, in pixels.
extern const uint32_t cc_webp_side_max;

// MARK: - Decoding

/// One compressed picture of a file; libwebp 1.2.4.
typedef struct cc_webp_bitstream {
    /// A chunk `VP8L`, or `VP8 ` with a preceding `ALPH`, if there is one; including their headers.
    cc_bytes bytes;
    /// The expected size; another one is an error.
    uint32_t width;
    uint32_t height;
} cc_webp_bitstream;

/// The output of a decode.
typedef struct cc_webp_decoding {
    /// The size of the result, at most that of the bitstream; for a smaller one, the library averages areas
    /// while it decodes.
    uint32_t width;
    uint32_t height;
    /// 3 for RGB, 4 for RGBA with straight alpha.
    uint32_t bytes_per_pixel;
    /// Applied to the result; may be NULL.
    const cc_color_transform *color;
} cc_webp_decoding;

/// Decodes into `rows`, which must have `decoding->height` of them; `WebPDecode`, without a copy.
cc_status cc_webp_decode(
    const cc_webp_bitstream *bitstream, const cc_webp_decoding *decoding, cc_rows rows, cc_message *message);

/// A part of a canvas, in pixels from its upper left corner.
typedef struct cc_webp_area {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} cc_webp_area;

/// A step of an animation: from one canvas to the next.
typedef struct cc_webp_step {
    cc_webp_bitstream bitstream;
    /// The upper left corner on the canvas, which must contain all of it.
    uint32_t x;
    uint32_t y;
    /// Composited over the canvas with alpha, instead of replacing it; for canvases of 4 bytes a pixel.
    int32_t blends;
    /// The previous canvas, of the same layout as `rows`; NULL for an empty one.
    const uint8_t *before;
    /// The area of the previous canvas to clear first; none if the width is 0.
    cc_webp_area emptied;
} cc_webp_step;

/// Draws the next canvas into `rows`; empty areas are transparent black.
///
/// `canvas` states its layout, and has no colour transform: frames are blended as stored.
cc_status cc_webp_draw(
    const cc_webp_step *step, const cc_webp_decoding *canvas, cc_rows rows, cc_message *message);

// MARK: - Decoding while bytes arrive

/// A bitstream that is still arriving; `WebPIDecoder`.
typedef struct cc_webp_stream cc_webp_stream;

/// Starts decoding a bitstream of a size, to be freed by `cc_webp_stream_close`; on failure none is
/// created. The colour transform is not applied here.
cc_status cc_webp_stream_open(
    uint32_t width, uint32_t height, const cc_webp_decoding *decoding, cc_webp_stream **stream);

/// Decodes the bytes that have arrived since the last call.
///
/// `bitstream` contains all available bytes from its start, at any address; it is not retained. `*row_count`
/// is the number of decoded rows of the result, `*is_whole` whether these are all.
cc_status cc_webp_stream_update(
    cc_webp_stream *stream, cc_bytes bitstream, uint32_t *row_count, int32_t *is_whole, cc_message *message);

/// Copies the first `row_count` rows, and clears the others; `color` is applied and may be NULL.
cc_status cc_webp_stream_copy(
    const cc_webp_stream *stream, uint32_t row_count, const cc_color_transform *color, cc_rows rows);

void cc_webp_stream_close(cc_webp_stream *stream);

// MARK: - Encoding

/// The content that a lossy encode is tuned for; the order is that of `WebPPreset`.
typedef enum __attribute__((enum_extensibility(closed))) cc_webp_content : int32_t {
    cc_webp_content_any,
    cc_webp_content_picture,
    cc_webp_content_photo,
    cc_webp_content_drawing,
    cc_webp_content_icon,
    cc_webp_content_text,
} cc_webp_content;

typedef struct cc_webp_encoding {
    /// 0...100; ignored for lossless.
    int32_t quality;
    int32_t is_lossless;
    /// The library's method, 0...6.
    int32_t effort;
    cc_webp_content content;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_webp_encoding;

/// Encodes a still, with the colours and the metadata of the pixels; gray becomes RGB.
cc_status cc_webp_encode(
    const cc_pixels *pixels, const cc_webp_encoding *encoding, cc_output *output, cc_message *message);

/// An animation under construction; `WebPAnimEncoder`.
typedef struct cc_webp_animation cc_webp_animation;

/// Starts an animation, to be freed by `cc_webp_animation_close`; a loop count of 0 means endless.
cc_status cc_webp_animation_open(
    uint32_t width, uint32_t height, uint32_t loop_count, const cc_webp_encoding *encoding,
    cc_webp_animation **animation, cc_message *message);

/// Adds a frame of the animation's size, shown from `milliseconds` on.
cc_status cc_webp_animation_add(
    cc_webp_animation *animation, const cc_pixels *pixels, int32_t milliseconds, cc_message *message);

/// Writes the file, with the TIFF block of an Exif and an XMP packet if there are any; the last frame ends at
/// `milliseconds`. Call it once.
cc_status cc_webp_animation_finish(
    cc_webp_animation *animation, int32_t milliseconds, cc_bytes exif, cc_bytes xmp, cc_output *output,
    cc_message *message);

void cc_webp_animation_close(cc_webp_animation *animation);

#endif
