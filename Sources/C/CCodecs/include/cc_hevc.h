#ifndef CC_HEVC_H
#define CC_HEVC_H

#include "cc_color.h"
#include "cc_types.h"

/// The pictures of an HEVC stream, one sample after another in decoding order; libde265 1.0, on the caller's
/// thread.
typedef struct cc_hevc_reader cc_hevc_reader;

typedef struct cc_hevc_setup {
    /// The size of each shown picture.
    uint32_t width;
    uint32_t height;
} cc_hevc_setup;

/// The conversion of planes to colours, if the file states it.
typedef struct cc_hevc_codes {
    /// 0 to use the stream's codes.
    int32_t are_stated;
    /// ITU-T H.273 table 4.
    uint32_t matrix;
    int32_t is_full_range;
} cc_hevc_codes;

/// Opens a reader without parameter sets, to be freed by `cc_hevc_close`; on failure none is created.
cc_status cc_hevc_open(const cc_hevc_setup *setup, cc_hevc_reader **reader, cc_message *message);

/// Pushes a unit, without its length, with the bytes that prevent start codes; they are copied.
cc_status cc_hevc_push(cc_hevc_reader *reader, cc_bytes unit, cc_message *message);

/// Decodes the picture of the sample whose units have been pushed; it is retained until the next call.
///
/// `cc_status_corrupt` unless it is one shown, complete picture of the size of the setup. After a failure the
/// reader is not used again.
cc_status cc_hevc_decode(cc_hevc_reader *reader, cc_message *message);

/// Writes the picture as rows of gray (1 byte a pixel), RGB (3) or RGBA (4), 8 bits a channel with rounding.
///
/// `alpha` is another reader whose picture's luma is used as alpha, for 4 bytes a pixel; NULL for an opaque
/// image. `color` is applied to the rows and may be NULL.
cc_status cc_hevc_write(
    const cc_hevc_reader *reader, const cc_hevc_reader *alpha, const cc_hevc_codes *codes,
    uint32_t bytes_per_pixel, const cc_color_transform *color, cc_rows rows, cc_message *message);

void cc_hevc_close(cc_hevc_reader *reader);

#endif
