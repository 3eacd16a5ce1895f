#ifndef CC_PNG_H
#define CC_PNG_H

#include "cc_color.h"
#include "cc_types.h"

/// An open PNG image; libpng 1.6.39, row by row.
typedef struct cc_png_reader cc_png_reader;

typedef struct cc_png_header {
    uint32_t width;
    uint32_t height;
    /// An alpha channel, or a transparent colour or palette entries.
    int32_t has_alpha;
    /// The decoded bytes per pixel: 1 for gray, 3 for RGB and palettes, 4 with alpha, 8 if 16 bits are
    /// retained.
    uint32_t bytes_per_pixel;
    /// The bits of a sample as stored; 8 for palettes.
    uint32_t bit_depth;
    /// True if the file contains a colour profile (iCCP).
    int32_t has_profile;
    /// The code points of cICP (ITU-T H.273), which take precedence over the profile; 0 without them.
    uint32_t primaries;
    uint32_t transfer;
    /// The source profile of a conversion: the colour profile, inflated, or one created for the code points;
    /// the reader's memory.
    cc_bytes profile;
} cc_png_header;

/// Reads up to the pixels. The bytes must outlive the reader, which is freed by `cc_png_close`; there is none
/// if the call fails.
///
/// With `keeps_depth` samples of 16 bits are decoded unchanged, in the machine's byte order, as RGBA.
cc_status cc_png_open(
    cc_bytes file, int32_t keeps_depth, cc_png_reader **reader, cc_png_header *header, cc_message *message);

/// The decoding path of a file; the results are equal.
typedef enum __attribute__((enum_extensibility(closed))) cc_png_path {
    /// The fast path if it supports the file, otherwise libpng.
    cc_png_path_either,
    cc_png_path_libpng,
    /// `cc_status_unsupported` if it does not support the file.
    cc_png_path_plain,
} cc_png_path;

typedef struct cc_png_decoding {
    cc_png_path path;
    /// True if pixels without alpha become RGBA too.
    int32_t adds_alpha;
    /// Applied to the rows; may be NULL.
    const cc_color_transform *color;
} cc_png_decoding;

/// Decodes the default image: 8 bits a channel, 16 bits rounded, palettes and transparent colours resolved.
///
/// Reads to the end of the file: a wrong checksum of critical data or of a part of an animation, and a
/// missing end, are errors. Call it once.
cc_status cc_png_decode(
    cc_png_reader *reader, const cc_png_decoding *decoding, cc_rows rows, cc_message *message);

void cc_png_close(cc_png_reader *reader);

// MARK: - Animation

/// The disposal of a frame's rectangle before the next frame; the numbers are those of fcTL.
typedef enum __attribute__((enum_extensibility(closed))) cc_png_disposal : int32_t {
    cc_png_disposal_none = 0,
    /// Transparent black.
    cc_png_disposal_background = 1,
    /// The content before the frame.
    cc_png_disposal_previous = 2,
} cc_png_disposal;

/// The fields of a frame's fcTL; PNG 3 section 11.3.6.2.
typedef struct cc_png_frame {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    cc_png_disposal disposal;
    /// Composited over the canvas with alpha, instead of replacing it.
    int32_t is_over;
    /// The offset in the file of the chunks after its fcTL.
    size_t offset;
} cc_png_frame;

/// The canvas on which the frames of a file are drawn in order.
typedef struct cc_png_canvas cc_png_canvas;

/// Creates a transparent canvas for a file that `cc_png_decode` accepts. The bytes must outlive the canvas,
/// which is freed by `cc_png_canvas_close`.
///
/// `bytes_per_pixel` is that of the file's header, or 4.
cc_status cc_png_canvas_open(cc_bytes file, uint32_t bytes_per_pixel, cc_png_canvas **canvas);

/// Disposes of the previous frame, draws this one, and copies the whole canvas into `rows`, without padding.
///
/// After an error the content of the canvas is undefined.
cc_status cc_png_canvas_draw(
    cc_png_canvas *canvas, const cc_png_frame *frame, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

/// Clears the canvas to transparent black.
void cc_png_canvas_reset(cc_png_canvas *canvas);

void cc_png_canvas_close(cc_png_canvas *canvas);

// MARK: - While bytes arrive

/// A PNG image whose bytes are still arriving: its default image, row by row and pass by pass.
typedef struct cc_png_incremental cc_png_incremental;

typedef struct cc_png_progress {
    /// True if the header has been read.
    int32_t has_header;
    /// True if the image has been read to its end.
    int32_t is_whole;
    /// True if there are more pixels than the image has: then their checksum has not been verified, and only
    /// `cc_png_decode` determines whether they are valid.
    int32_t has_excess;
    /// The number of rows from the top that have arrived, in any quality.
    uint32_t row_count;
    /// Increases whenever new content is available.
    uint64_t step;
} cc_png_progress;

/// Creates a decoder for images up to a number of pixels, to be freed by `cc_png_incremental_close`.
cc_status cc_png_incremental_open(
    uint64_t pixel_count_max, cc_png_incremental **image, cc_message *message);

/// Decodes the available bytes as far as possible.
///
/// `file` contains the file from its start to the last available byte, at any address; the bytes are not
/// needed after the call. With `is_end` no more will arrive: missing bytes are then `cc_status_truncated`.
cc_status cc_png_incremental_advance(
    cc_png_incremental *image, cc_bytes file, int32_t is_end, cc_message *message);

cc_png_progress cc_png_incremental_progress(const cc_png_incremental *image);

/// Returns the header, once it is available; it and its pointers are valid as long as the image.
const cc_png_header *cc_png_incremental_header(const cc_png_incremental *image);

/// Copies all rows, missing ones as zeros; `color` is applied to the others and may be NULL.
cc_status cc_png_incremental_copy(
    const cc_png_incremental *image, const cc_color_transform *color, cc_rows rows);

void cc_png_incremental_close(cc_png_incremental *image);

// MARK: - Encoding

typedef struct cc_png_encoding {
    /// zlib's level, 0...9.
    int32_t level;
    int32_t is_interlaced;
    /// True if the file has the channels of the pixels, 8 bits each, even if a palette or fewer bits suffice:
    /// the frames of an animation share one layout.
    int32_t keeps_channels;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_png_encoding;

/// Encodes gray, RGB or RGBA, with its colours (iCCP, cICP), its Exif and no other metadata; opaque pixels of
/// 16 bits as RGB. Pixels of at most 256 colours become a palette, and gray of few levels is stored in fewer
/// bits, exactly. For flat images the best of three filters is chosen by trials on a part.
cc_status cc_png_encode(
    const cc_pixels *pixels, const cc_png_encoding *encoding, cc_output *output, cc_message *message);

/// An animation under construction, frame by frame.
typedef struct cc_png_animation cc_png_animation;

/// Starts an animation of `frame_count` frames that plays `play_count` times, 0 for endless; freed by
/// `cc_png_animation_close`.
cc_status cc_png_animation_open(
    const cc_png_encoding *encoding, uint32_t frame_count, uint32_t play_count, cc_png_animation **animation);

/// Writes the next frame, cropped to the rectangle that differs from the previous one, and the Exif with the
/// first; its duration is `numerator` / `denominator` seconds. All frames have one size and one number of
/// bytes a pixel.
cc_status cc_png_animation_add(
    cc_png_animation *animation, const cc_pixels *pixels, uint16_t numerator, uint16_t denominator,
    cc_message *message);

/// Ends the file, once all frames have been added.
cc_status cc_png_animation_finish(cc_png_animation *animation, cc_output *output, cc_message *message);

void cc_png_animation_close(cc_png_animation *animation);

#endif
