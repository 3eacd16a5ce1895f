#ifndef CC_JXL_H
#define CC_JXL_H

#include "cc_types.h"

/// A JPEG XL image that is being read; libjxl 0.7, one thread.
///
/// Each call gets the bytes of the codestream that have come so far, from the first one on: they may have
/// moved and grown since the last call, which left off where they ended. Where they are too few the call
/// gives `cc_status_truncated`, and with more bytes it goes on; every other failure is final.
typedef struct cc_jxl_reader cc_jxl_reader;

/// What a reader is for.
typedef enum __attribute__((enum_extensibility(closed))) cc_jxl_purpose : int32_t {
    /// What stands before the frames.
    cc_jxl_purpose_header,
    /// The frames as they are shown, in the colours that the file has.
    cc_jxl_purpose_pixels,
    /// The frames as they are shown, in sRGB.
    cc_jxl_purpose_srgb_pixels,
} cc_jxl_purpose;

typedef struct cc_jxl_header {
    /// As stored, before the orientation.
    uint32_t width;
    uint32_t height;
    /// 1...8, as Exif has it.
    int32_t orientation;
    /// Channels in all, with those that are not decoded.
    uint32_t channel_count;
    int32_t has_alpha;
    /// Whether the colours are three inks, with black beside them; they come out as RGB.
    int32_t has_black;
    /// Bytes a pixel of what is decoded: 1 for gray, 3 for RGB, 4 where there is alpha, 8 where depth
    /// is kept.
    uint32_t bytes_per_pixel;
    /// Whether 8 bytes are half floats.
    int32_t is_float;
    int32_t is_animated;
    /// 0 for ever.
    uint32_t loop_count;
    /// Ticks in so many seconds.
    uint32_t tick_count;
    uint32_t tick_seconds;
    /// An attached profile, or a named colour space other than sRGB.
    int32_t has_profile;
    /// The code of the transfer curve (ITU-T H.273 table 3) where it is named, else 2.
    uint32_t transfer;
    /// The codes of the primaries and the transfer curve of the pixels as they come out, where they are
    /// named; 0 where they have a profile.
    uint32_t pixel_primaries;
    uint32_t pixel_transfer;
    /// The bits of a sample, whole or floating.
    uint32_t bit_depth;
    /// What the heads of frames depend on.
    int32_t is_xyb;
    uint32_t extra_channel_count;
    int32_t has_timecodes;
    /// 0 where there is no preview.
    uint32_t preview_width;
    uint32_t preview_height;
    /// Bytes up to the first frame, which is the preview where there is one.
    size_t byte_count;
} cc_jxl_header;

/// Makes a reader, to be given back with `cc_jxl_close`; where the call fails there is none.
///
/// With `keeps_depth` samples of more than 8 bits are decoded as RGBA of 16 bits a channel, and floating
/// point as half floats.
cc_status cc_jxl_open(
    cc_jxl_purpose purpose, int32_t keeps_depth, cc_jxl_reader **reader, cc_message *message);

/// Reads up to the first frame. To be called before anything else, until it succeeds.
cc_status cc_jxl_read_header(
    cc_jxl_reader *reader, cc_bytes file, cc_jxl_header *header, cc_message *message);

/// The ICC profile of the pixels as they come out, the caller's; nothing where there is none. After the
/// header.
cc_output cc_jxl_profile(const cc_jxl_reader *reader);

/// Decodes the next frame into `rows`, which are the same until the frame is whole: 8 bits a channel,
/// rounded, alpha not multiplied, neither turned nor converted.
cc_status cc_jxl_read_frame(cc_jxl_reader *reader, cc_bytes file, cc_rows rows, cc_message *message);

/// Writes a coarse picture into the rows of the frame that is being read, out of what has come of it; 0 where
/// there is none.
int32_t cc_jxl_show(cc_jxl_reader *reader);

/// Converts decoded rows to sRGB, where the reader is for that and the library has not done so, and inks to
/// RGB.
cc_status cc_jxl_convert(const cc_jxl_reader *reader, cc_rows rows);

/// Makes the next frame that is read the one at `index`, counted from 0; where the call fails the reader can
/// only be given back.
cc_status cc_jxl_move(cc_jxl_reader *reader, uint32_t index, cc_message *message);

void cc_jxl_close(cc_jxl_reader *reader);

/// An image or an animation that is being written, frame by frame.
typedef struct cc_jxl_writer cc_jxl_writer;

typedef struct cc_jxl_encoding {
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA, 8 for RGBA of 16 bits a channel; of all frames.
    uint32_t bytes_per_pixel;
    /// Butteraugli distance, 0.01...15; not looked at where nothing is to be lost.
    float distance;
    int32_t is_lossless;
    /// 1...9.
    int32_t effort;
    int32_t is_animated;
    /// 0 for ever.
    uint32_t loop_count;
    /// More bytes than this are `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_jxl_encoding;

/// Makes a writer, to be given back with `cc_jxl_abandon`; where the call fails there is none.
///
/// All frames have the kind of numbers and the colours of `first`, whose code points are such as JPEG XL has.
cc_status cc_jxl_begin(
    const cc_jxl_encoding *encoding, const cc_pixels *first, cc_jxl_writer **writer, cc_message *message);

/// Encodes the next frame; all have one size and format.
cc_status cc_jxl_write_frame(
    cc_jxl_writer *writer, const cc_pixels *pixels, uint32_t microseconds, int32_t is_last,
    cc_message *message);

/// Takes the bytes out, after the last frame.
void cc_jxl_finish(cc_jxl_writer *writer, cc_output *output);

void cc_jxl_abandon(cc_jxl_writer *writer);

/// The version of libjxl that runs: 1,000,000 of the major number, 1,000 of the minor one, and the patch.
uint32_t cc_jxl_version(void);

#endif
