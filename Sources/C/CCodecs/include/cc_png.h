#ifndef CC_PNG_H
#define CC_PNG_H

#include "cc_color.h"
#include "cc_types.h"

/// A PNG image that is being read; libpng 1.6.39, row by row.
typedef struct cc_png_reader cc_png_reader;

typedef struct cc_png_header {
    uint32_t width;
    uint32_t height;
    /// An alpha channel, or a colour or palette entries that are transparent.
    int32_t has_alpha;
    /// Bytes a pixel of what is decoded: 1 for gray, 3 for RGB and palettes, 4 where there is alpha, 8 where
    /// 16 bits are kept.
    uint32_t bytes_per_pixel;
    /// The bits of a sample as stored; 8 for palettes.
    uint32_t bit_depth;
    /// Whether the file holds a colour profile (iCCP).
    int32_t has_profile;
    /// The code points of cICP (ITU-T H.273), which stand above the profile; 0 where there is none.
    uint32_t primaries;
    uint32_t transfer;
    /// What to convert from: the colour profile, inflated, or one made for the code points; the reader's
    /// memory.
    cc_bytes profile;
} cc_png_header;

/// Reads up to the pixels. The bytes must outlive the reader, which is given back with `cc_png_close`; where
/// the call fails there is none.
///
/// With `keeps_depth` samples of 16 bits are decoded as they are, in the order of the machine, as RGBA.
cc_status cc_png_open(
    cc_bytes file, int32_t keeps_depth, cc_png_reader **reader, cc_png_header *header, cc_message *message);

/// How the pixels of a file become those of an image; the result is the same.
typedef enum __attribute__((enum_extensibility(closed))) cc_png_path {
    /// The plain path where it serves, else libpng's.
    cc_png_path_either,
    cc_png_path_libpng,
    /// `cc_status_unsupported` where it does not serve.
    cc_png_path_plain,
} cc_png_path;

typedef struct cc_png_decoding {
    cc_png_path path;
    /// Whether pixels without alpha become RGBA all the same.
    int32_t adds_alpha;
    /// Applied to the rows; may be NULL.
    const cc_color_transform *color;
} cc_png_decoding;

/// Decodes the (default) image: 8 bits a channel, 16 bits rounded, palettes and transparent colours resolved.
///
/// Reads to the end of the file: a wrong check sum of critical data or of a part of an animation, and a
/// missing end, are errors. To be called once.
cc_status cc_png_decode(
    cc_png_reader *reader, const cc_png_decoding *decoding, cc_rows rows, cc_message *message);

void cc_png_close(cc_png_reader *reader);

// MARK: - Animation

/// What becomes of a frame's rectangle before the next frame; the numbers are those of fcTL.
typedef enum __attribute__((enum_extensibility(closed))) cc_png_disposal : int32_t {
    cc_png_disposal_none = 0,
    /// Transparent black.
    cc_png_disposal_background = 1,
    /// What was there before the frame.
    cc_png_disposal_previous = 2,
} cc_png_disposal;

/// A frame as fcTL states it; PNG 3 section 11.3.6.2.
typedef struct cc_png_frame {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    cc_png_disposal disposal;
    /// Laid over what is there by its alpha, instead of replacing it.
    int32_t is_over;
    /// Where in the file the chunks after its fcTL start.
    size_t offset;
} cc_png_frame;

/// The canvas on which the frames of a file are drawn in order.
typedef struct cc_png_canvas cc_png_canvas;

/// Makes a canvas of transparent black for a file that `cc_png_decode` accepts. The bytes must outlive the
/// canvas, which is given back with `cc_png_canvas_close`.
///
/// `bytes_per_pixel` is that of the file's header, or 4.
cc_status cc_png_canvas_open(cc_bytes file, uint32_t bytes_per_pixel, cc_png_canvas **canvas);

/// Disposes of the frame before, draws this one, and copies the whole canvas into `rows`, without padding.
///
/// After an error the canvas holds arbitrary pixels.
cc_status cc_png_canvas_draw(
    cc_png_canvas *canvas, const cc_png_frame *frame, const cc_color_transform *color, cc_rows rows,
    cc_message *message);

/// Makes the canvas transparent black.
void cc_png_canvas_reset(cc_png_canvas *canvas);

void cc_png_canvas_close(cc_png_canvas *canvas);

// MARK: - While bytes arrive

/// A PNG image whose bytes are still arriving: its default image, row by row and pass by pass.
typedef struct cc_png_incremental cc_png_incremental;

typedef struct cc_png_progress {
    /// Whether the header has been read.
    int32_t has_header;
    /// Whether the image has been read to its end.
    int32_t is_whole;
    /// Whether there are more pixels than the image has: then their check sum has not been looked at, and
    /// only `cc_png_decode` tells whether they are sound.
    int32_t has_excess;
    /// Rows that have come, from the top, in whatever quality.
    uint32_t row_count;
    /// Grows whenever there is something new to be seen.
    uint64_t step;
} cc_png_progress;

/// Makes a decoder for images of at most so many pixels, to be given back with `cc_png_incremental_close`.
cc_status cc_png_incremental_open(
    uint64_t pixel_count_max, cc_png_incremental **image, cc_message *message);

/// Decodes all that the bytes suffice for.
///
/// `file` is the file from its start to the last byte that has come, at any address; the bytes are not needed
/// after the call. With `is_end` no more will come: what is missing then is `cc_status_truncated`.
cc_status cc_png_incremental_advance(
    cc_png_incremental *image, cc_bytes file, int32_t is_end, cc_message *message);

cc_png_progress cc_png_incremental_progress(const cc_png_incremental *image);

/// The header, once there is one; it and what it points to are valid as long as the image.
const cc_png_header *cc_png_incremental_header(const cc_png_incremental *image);

/// Copies all rows, those that have not come as zeros; `color` is applied to the others and may be NULL.
cc_status cc_png_incremental_copy(
    const cc_png_incremental *image, const cc_color_transform *color, cc_rows rows);

void cc_png_incremental_close(cc_png_incremental *image);

// MARK: - Encoding

typedef struct cc_png_encoding {
    /// zlib's level, 0...9.
    int32_t level;
    int32_t is_interlaced;
    /// Whether the file has the channels of the pixels, 8 bits each, also where a palette or fewer bits hold
    /// them: the frames of an animation have one layout.
    int32_t keeps_channels;
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_png_encoding;

/// Encodes gray, RGB or RGBA, with its colours (iCCP, cICP), its Exif and no other metadata; 16 bits that are
/// opaque as RGB. Pixels of at most 256 colours become a palette, gray of few levels fewer bits, exactly. The
/// filters of flat pictures are the best of three that are tried on a part.
cc_status cc_png_encode(
    const cc_pixels *pixels, const cc_png_encoding *encoding, cc_output *output, cc_message *message);

/// An animation that is being written, frame by frame.
typedef struct cc_png_animation cc_png_animation;

/// Starts an animation of `frame_count` frames that plays `play_count` times, 0 for ever; given back with
/// `cc_png_animation_close`.
cc_status cc_png_animation_open(
    const cc_png_encoding *encoding, uint32_t frame_count, uint32_t play_count, cc_png_animation **animation);

/// Writes the next frame, of which only the rectangle that differs from the frame before is kept, with the
/// first its Exif; it is shown for `numerator` / `denominator` seconds. All frames have one size and one
/// number of bytes a pixel.
cc_status cc_png_animation_add(
    cc_png_animation *animation, const cc_pixels *pixels, uint16_t numerator, uint16_t denominator,
    cc_message *message);

/// Ends the file, once all frames have been added.
cc_status cc_png_animation_finish(cc_png_animation *animation, cc_output *output, cc_message *message);

void cc_png_animation_close(cc_png_animation *animation);

#endif
