#ifndef CC_AVIF_H
#define CC_AVIF_H

#include "cc_color.h"
#include "cc_types.h"

/// An open AVIF image or sequence; libavif 0.11 on dav1d, one thread, nothing shared with other readers.
typedef struct cc_avif_reader cc_avif_reader;

/// The limits of a file; beyond them opening fails with `cc_status_limit_exceeded`.
typedef struct cc_avif_limits {
    uint64_t pixel_count_max;
    uint64_t frame_count_max;
} cc_avif_limits;

typedef struct cc_avif_header {
    /// The size as stored, before the clean aperture, the rotation and the mirror.
    uint32_t width;
    uint32_t height;
    /// The visible part: all of it without a valid clean aperture.
    uint32_t crop_x;
    uint32_t crop_y;
    uint32_t crop_width;
    uint32_t crop_height;
    /// Counter-clockwise quarter turns, 0...3, after the crop.
    uint32_t quarter_turns;
    /// After the turn: 0 for none, 1 to swap top and bottom, 2 to swap left and right.
    uint32_t mirror;
    uint32_t frame_count;
    int32_t is_sequence;
    int32_t has_alpha;
    /// The decoded bytes per pixel: 1 for gray, 3 for colour, 4 with alpha.
    uint32_t bytes_per_pixel;
    /// True if the file holds an ICC profile.
    int32_t has_profile;
    /// The codes of the primaries and the transfer curve (ITU-T H.273 tables 2 and 3) without an ICC profile,
    /// otherwise 2.
    uint32_t primaries;
    uint32_t transfer;
    /// The maximum bits of a sample.
    uint32_t bit_depth;
    /// The source profile of a conversion: the ICC profile, or one created for coded primaries and transfer
    /// other than those of sRGB; the reader's memory.
    cc_bytes profile;
} cc_avif_header;

/// Reads all boxes. The bytes must outlive the reader, which is freed by `cc_avif_close`; on failure none
/// is created.
cc_status cc_avif_open(
    cc_bytes file, const cc_avif_limits *limits, cc_avif_reader **reader, cc_avif_header *header,
    cc_message *message);

/// Returns whether decoding can start at a frame, an index below `frame_count`.
int32_t cc_avif_is_key_frame(const cc_avif_reader *reader, uint32_t index);

/// Decodes a frame in its stored size, 8 bits a channel with rounding, straight alpha; with `keeps_depth`
/// RGBA of 16 bits a channel, whatever the header states.
///
/// The frame after the last decoded one continues from it; another one starts at the nearest key frame.
/// `color` is applied to the rows and may be NULL.
cc_status cc_avif_decode(
    cc_avif_reader *reader, uint32_t index, int32_t keeps_depth, const cc_color_transform *color,
    cc_rows rows, cc_message *message);

void cc_avif_close(cc_avif_reader *reader);

/// The resolution of the chroma samples.
typedef enum __attribute__((enum_extensibility(closed))) cc_avif_chroma : int32_t {
    cc_avif_chroma_full,
    cc_avif_chroma_halved_across,
    cc_avif_chroma_halved,
} cc_avif_chroma;

typedef struct cc_avif_encoding {
    /// 0, the best, to 63, for colours and alpha.
    int32_t quantizer;
    /// 0, slowest, to 10.
    int32_t speed;
    cc_avif_chroma chroma;
    /// True if every pixel is preserved: RGB without conversion and quantizer 0, whatever else is set.
    int32_t is_lossless;
    /// True if there is only one frame.
    int32_t is_still;
    /// 8, 10 or 12.
    int32_t bit_depth;
    /// The number of plays of an animation, 0 for endless; written if `cc_avif_writes_play_count` returns
    /// true.
    uint32_t play_count;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_avif_encoding;

/// Returns whether libavif writes the loop count of an animation: from version 1.0 on.
int32_t cc_avif_writes_play_count(void);

/// An AVIF file under construction; libavif 0.11 on libaom, one thread.
typedef struct cc_avif_writer cc_avif_writer;

/// Creates a writer, to be freed by `cc_avif_writer_close`.
cc_status cc_avif_writer_open(
    const cc_avif_encoding *encoding, cc_avif_writer **writer, cc_message *message);

/// Adds a frame with a duration in milliseconds; all frames have one size and one number of bytes a pixel.
cc_status cc_avif_writer_add(
    cc_avif_writer *writer, const cc_pixels *pixels, uint64_t milliseconds, cc_message *message);

/// Creates the file. Call it once, last.
cc_status cc_avif_writer_finish(cc_avif_writer *writer, cc_output *output, cc_message *message);

void cc_avif_writer_close(cc_avif_writer *writer);

#endif
