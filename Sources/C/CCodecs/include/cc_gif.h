#ifndef CC_GIF_H
#define CC_GIF_H

#include "cc_types.h"

/// The longest side that GIF can hold, in pixels.
extern const uint32_t cc_gif_side_max;

// MARK: - Reading

/// A frame whose blocks have been found: what is in its descriptor, and where its parts are.
typedef struct cc_gif_frame {
    /// The code size, and the blocks of codes with the empty one that ends them.
    cc_bytes codes;
    /// Red, green and blue of each colour.
    cc_bytes palette;
    /// The place on the canvas; it may lie outside, partly or wholly.
    uint32_t left;
    uint32_t top;
    /// At least 1.
    uint32_t width;
    uint32_t height;
    int32_t is_interlaced;
    /// The colour that leaves the canvas as it is; -1 where there is none.
    int32_t transparent_index;
} cc_gif_frame;

/// Rows that a frame is drawn on.
typedef struct cc_gif_canvas {
    cc_rows rows;
    uint32_t width;
    /// 1 for gray, whose value is the red of a colour, 3 for RGB, 4 for RGBA.
    uint32_t bytes_per_pixel;
} cc_gif_canvas;

/// Draws a frame: the part of it that lies on the canvas, where it is not transparent; giflib 5.2,
/// `DGifGetLine`.
///
/// Codes that end before the pixels do, and pixels without a colour, are errors; the canvas is then of no
/// more use.
cc_status cc_gif_draw(const cc_gif_frame *frame, const cc_gif_canvas *canvas, cc_message *message);

// MARK: - Writing

/// A GIF file that is being written; giflib 5.2, `EGifPutLine`.
typedef struct cc_gif_writer cc_gif_writer;

typedef struct cc_gif_screen {
    uint32_t width;
    uint32_t height;
    /// Red, green and blue of each colour that frames without their own table have: none, or as below.
    cc_bytes palette;
    /// 0 for ever; -1 where nothing is to be written about it.
    int32_t loop_count;
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_gif_screen;

/// Writes the header. The writer is given back with `cc_gif_close`; where the call fails there is none.
cc_status cc_gif_open(const cc_gif_screen *screen, cc_gif_writer **writer, cc_message *message);

typedef struct cc_gif_image {
    /// A byte a pixel, rows without padding.
    const uint8_t *indexes;
    /// Red, green and blue of each colour: 1...256 of them, padded with black to a power of two. None where
    /// the frame has those of the screen.
    cc_bytes palette;
    uint32_t left;
    uint32_t top;
    uint32_t width;
    uint32_t height;
    /// -1 where there is none.
    int32_t transparent_index;
    /// 0...3 as the graphic control has it.
    int32_t disposal;
    /// In 1/100 s.
    uint32_t delay;
} cc_gif_image;

/// Writes a frame.
cc_status cc_gif_add(cc_gif_writer *writer, const cc_gif_image *image, cc_message *message);

/// Writes the trailer and gives the bytes. To be called once, last.
cc_status cc_gif_finish(cc_gif_writer *writer, cc_output *output, cc_message *message);

void cc_gif_close(cc_gif_writer *writer);

#endif
