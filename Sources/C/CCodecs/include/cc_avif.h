#ifndef CC_AVIF_H
#define CC_AVIF_H

#include "cc_color.h"
#include "cc_types.h"

/// An AVIF image or sequence that is being read; libavif 0.11 on dav1d, one thread, nothing shared with other
/// readers.
typedef struct cc_avif_reader cc_avif_reader;

/// What a file may ask for; beyond it opening is `cc_status_limit_exceeded`.
typedef struct cc_avif_limits {
    uint64_t pixel_count_max;
    uint64_t frame_count_max;
} cc_avif_limits;

typedef struct cc_avif_header {
    /// As stored, before the clean aperture, the rotation and the mirror.
    uint32_t width;
    uint32_t height;
    /// The part that is shown: all of it where no (valid) clean aperture is given.
    uint32_t crop_x;
    uint32_t crop_y;
    uint32_t crop_width;
    uint32_t crop_height;
    /// Quarter turns against the clock, 0...3, after the crop.
    uint32_t quarter_turns;
    /// After the turn: 0 for none, 1 where top and bottom change places, 2 where left and right do.
    uint32_t mirror;
    uint32_t frame_count;
    int32_t is_sequence;
    int32_t has_alpha;
    /// Bytes a pixel of what is decoded: 1 for gray, 3 for colour, 4 where there is alpha.
    uint32_t bytes_per_pixel;
    /// Whether the file holds an ICC profile.
    int32_t has_profile;
    /// The codes of the primaries and the transfer curve (ITU-T H.273 tables 2 and 3) where there is no ICC
    /// profile, else 2.
    uint32_t primaries;
    uint32_t transfer;
    /// The most bits that a sample has.
    uint32_t bit_depth;
    /// What to convert from: the ICC profile, or one made for the coded primaries and transfer where these
    /// are not those of sRGB; the reader's memory.
    cc_bytes profile;
} cc_avif_header;

/// Reads all boxes. The bytes must outlive the reader, which is given back with `cc_avif_close`; where the
/// call fails there is none.
cc_status cc_avif_open(
    cc_bytes file, const cc_avif_limits *limits, cc_avif_reader **reader, cc_avif_header *header,
    cc_message *message);

/// Whether decoding can start at a frame below `frame_count`.
int32_t cc_avif_is_key_frame(const cc_avif_reader *reader, uint32_t index);

/// Decodes a frame, in its stored size, 8 bits a channel with rounding, alpha not multiplied; with
/// `keeps_depth` RGBA of 16 bits a channel, whatever the header says.
///
/// The frame after the last that was decoded goes on from it; another one starts at the nearest key frame.
/// `color` is applied to the rows and may be NULL.
cc_status cc_avif_decode(
    cc_avif_reader *reader, uint32_t index, int32_t keeps_depth, const cc_color_transform *color,
    cc_rows rows, cc_message *message);

void cc_avif_close(cc_avif_reader *reader);

/// The chroma samples that are kept.
typedef enum __attribute__((enum_extensibility(closed))) cc_avif_chroma : int32_t {
    cc_avif_chroma_full,
    cc_avif_chroma_halved_across,
    cc_avif_chroma_halved,
} cc_avif_chroma;

typedef struct cc_avif_encoding {
    /// 0, the best, to 63, of colours and alpha.
    int32_t quantizer;
    /// 0, slowest, to 10.
    int32_t speed;
    cc_avif_chroma chroma;
    /// Whether every pixel is kept as it is: RGB as such, quantizer 0, whatever else is set.
    int32_t is_lossless;
    /// Whether there is one frame only.
    int32_t is_still;
    /// 8, 10 or 12.
    int32_t bit_depth;
    /// How often an animation plays, 0 for ever; written where `cc_avif_writes_play_count` says so.
    uint32_t play_count;
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_avif_encoding;

/// Whether libavif writes how often an animation plays: from version 1.0 on.
int32_t cc_avif_writes_play_count(void);

/// An AVIF file that is being written; libavif 0.11 on libaom, one thread.
typedef struct cc_avif_writer cc_avif_writer;

/// Makes a writer, to be given back with `cc_avif_writer_close`.
cc_status cc_avif_writer_open(
    const cc_avif_encoding *encoding, cc_avif_writer **writer, cc_message *message);

/// Adds a frame that is shown for so many milliseconds; all have one size and one number of bytes a pixel.
cc_status cc_avif_writer_add(
    cc_avif_writer *writer, const cc_pixels *pixels, uint64_t milliseconds, cc_message *message);

/// Makes the file. To be called once, last.
cc_status cc_avif_writer_finish(cc_avif_writer *writer, cc_output *output, cc_message *message);

void cc_avif_writer_close(cc_avif_writer *writer);

#endif
