#ifndef CC_GIF_H
#define CC_GIF_H

#include "cc_types.h"

/// The maximum side of a GIF in pixels.
extern const uint32_t cc_gif_side_max;

// MARK: - Reading

/// A parsed frame: its descriptor, and the positions of its parts.
typedef struct cc_gif_frame {
    /// The code size, and the code blocks with the empty block at their end.
    cc_bytes codes;
    /// Red, green and blue of each colour.
    cc_bytes palette;
    /// The position on the canvas; the frame may lie partly or entirely outside.
    uint32_t left;
    uint32_t top;
    /// At least 1.
    uint32_t width;
    uint32_t height;
    int32_t is_interlaced;
    /// The index of transparent pixels; -1 for none.
    int32_t transparent_index;
} cc_gif_frame;

/// The canvas of a frame.
typedef struct cc_gif_canvas {
    cc_rows rows;
    uint32_t width;
    /// 1 for gray, the red of a colour, 3 for RGB, 4 for RGBA.
    uint32_t bytes_per_pixel;
} cc_gif_canvas;

/// Draws the part of a frame on the canvas, except for transparent pixels; giflib 5.2, `DGifGetLine`.
///
/// Codes that end before the pixels do, and pixels without a colour, are errors; the content of the canvas is
/// then undefined.
cc_status cc_gif_draw(const cc_gif_frame *frame, const cc_gif_canvas *canvas, cc_message *message);

// MARK: - Writing

/// A GIF file under construction; giflib 5.2, `EGifPutLine`.
typedef struct cc_gif_writer cc_gif_writer;

typedef struct cc_gif_screen {
    uint32_t width;
    uint32_t height;
    /// Red, green and blue of each colour for frames without their own table: none, or as below.
    cc_bytes palette;
    /// 0 for endless; -1 to omit the loop count.
    int32_t loop_count;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_gif_screen;

/// Writes the header. The writer is freed by `cc_gif_close`; on failure none is created.
cc_status cc_gif_open(const cc_gif_screen *screen, cc_gif_writer **writer, cc_message *message);

typedef struct cc_gif_image {
    /// One byte a pixel, rows without padding.
    const uint8_t *indexes;
    /// Red, green and blue of each colour: 1...256 of them, padded with black to a power of two. None to use
    /// the screen's.
    cc_bytes palette;
    uint32_t left;
    uint32_t top;
    uint32_t width;
    uint32_t height;
    /// -1 for none.
    int32_t transparent_index;
    /// 0...3 as in the graphic control.
    int32_t disposal;
    /// In 1/100 s.
    uint32_t delay;
} cc_gif_image;

/// Writes a frame.
cc_status cc_gif_add(cc_gif_writer *writer, const cc_gif_image *image, cc_message *message);

/// Writes the trailer and returns the bytes. Call it once, last.
cc_status cc_gif_finish(cc_gif_writer *writer, cc_output *output, cc_message *message);

void cc_gif_close(cc_gif_writer *writer);

#endif
