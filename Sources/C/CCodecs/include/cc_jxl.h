#ifndef CC_JXL_H
#define CC_JXL_H

#include "cc_types.h"

/// An open JPEG XL image; libjxl 0.7, one thread.
///
/// Each call receives the available bytes of the codestream from the first one on, which may have moved and
/// grown since the last call, and continues at their former end. If they are too few the call returns
/// `cc_status_truncated`, and can be repeated with more bytes; every other failure is final.
typedef struct cc_jxl_reader cc_jxl_reader;

/// The purpose of a reader.
typedef enum __attribute__((enum_extensibility(closed))) cc_jxl_purpose : int32_t {
    /// The data before the frames.
    cc_jxl_purpose_header,
    /// The frames as shown, in the file's colours.
    cc_jxl_purpose_pixels,
    /// The frames as shown, in sRGB.
    cc_jxl_purpose_srgb_pixels,
} cc_jxl_purpose;

typedef struct cc_jxl_header {
    /// The size as stored, before the orientation.
    uint32_t width;
    uint32_t height;
    /// 1...8, as in Exif.
    int32_t orientation;
    /// The total number of channels, including those that are not decoded.
    uint32_t channel_count;
    int32_t has_alpha;
    /// True if the colours are three inks and black; they are decoded to RGB.
    int32_t has_black;
    /// The decoded bytes per pixel: 1 for gray, 3 for RGB, 4 with alpha, 8 if depth is retained.
    uint32_t bytes_per_pixel;
    /// True if 8 bytes are half floats.
    int32_t is_float;
    int32_t is_animated;
    /// 0 for endless.
    uint32_t loop_count;
    /// The number of ticks in `tick_seconds`.
    uint32_t tick_count;
    uint32_t tick_seconds;
    /// An attached profile, or a named colour space other than sRGB.
    int32_t has_profile;
    /// The code of the transfer curve (ITU-T H.273 table 3) if it is named, otherwise 2.
    uint32_t transfer;
    /// The codes of the primaries and the transfer curve of the decoded pixels, if they are named; 0 for a
    /// profile.
    uint32_t pixel_primaries;
    uint32_t pixel_transfer;
    /// The bits of a sample, integer or floating point.
    uint32_t bit_depth;
    /// Fields required for parsing frame headers.
    int32_t is_xyb;
    uint32_t extra_channel_count;
    int32_t has_timecodes;
    /// 0 without a preview.
    uint32_t preview_width;
    uint32_t preview_height;
    /// The number of bytes before the first frame, which is the preview if there is one.
    size_t byte_count;
} cc_jxl_header;

/// Creates a reader, to be freed by `cc_jxl_close`; on failure none is created.
///
/// With `keeps_depth` samples of more than 8 bits are decoded as RGBA of 16 bits a channel, and floating
/// point as half floats.
cc_status cc_jxl_open(
    cc_jxl_purpose purpose, int32_t keeps_depth, cc_jxl_reader **reader, cc_message *message);

/// Reads up to the first frame. Call it first, until it succeeds.
cc_status cc_jxl_read_header(
    cc_jxl_reader *reader, cc_bytes file, cc_jxl_header *header, cc_message *message);

/// Returns the ICC profile of the decoded pixels, owned by the caller; empty without one. Valid after the
/// header.
cc_output cc_jxl_profile(const cc_jxl_reader *reader);

/// Decodes the next frame into `rows`, which must be the same until it is complete: 8 bits a channel,
/// rounded, straight alpha, neither turned nor converted.
cc_status cc_jxl_read_frame(cc_jxl_reader *reader, cc_bytes file, cc_rows rows, cc_message *message);

/// Writes a coarse preview of the current frame into its rows, from the available bytes; 0 if there is none.
int32_t cc_jxl_show(cc_jxl_reader *reader);

/// Converts decoded rows to sRGB, if that is the reader's purpose and the library has not done so, and inks
/// to RGB.
cc_status cc_jxl_convert(const cc_jxl_reader *reader, cc_rows rows);

/// Selects the frame that is read next, by its index from 0; if the call fails the reader can only be closed.
cc_status cc_jxl_move(cc_jxl_reader *reader, uint32_t index, cc_message *message);

void cc_jxl_close(cc_jxl_reader *reader);

/// An image or an animation under construction, frame by frame.
typedef struct cc_jxl_writer cc_jxl_writer;

typedef struct cc_jxl_encoding {
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA, 8 for RGBA of 16 bits a channel; the same for all frames.
    uint32_t bytes_per_pixel;
    /// The Butteraugli distance, 0.01...15; ignored for lossless.
    float distance;
    int32_t is_lossless;
    /// 1...9.
    int32_t effort;
    int32_t is_animated;
    /// 0 for endless.
    uint32_t loop_count;
    /// The maximum size; a larger result is `cc_status_limit_exceeded`.
    uint64_t byte_count_max;
} cc_jxl_encoding;

/// Creates a writer, to be freed by `cc_jxl_abandon`; on failure none is created.
///
/// All frames have the number format and the colours of `first`, whose code points JPEG XL must support.
cc_status cc_jxl_begin(
    const cc_jxl_encoding *encoding, const cc_pixels *first, cc_jxl_writer **writer, cc_message *message);

/// Encodes the next frame; all have one size and format.
cc_status cc_jxl_write_frame(
    cc_jxl_writer *writer, const cc_pixels *pixels, uint32_t microseconds, int32_t is_last,
    cc_message *message);

/// Returns the bytes, after the last frame.
void cc_jxl_finish(cc_jxl_writer *writer, cc_output *output);

void cc_jxl_abandon(cc_jxl_writer *writer);

/// Returns the version of libjxl at run time: 1,000,000 × major + 1,000 × minor + patch.
uint32_t cc_jxl_version(void);

#endif
