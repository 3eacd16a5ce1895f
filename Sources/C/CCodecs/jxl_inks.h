#ifndef CC_JXL_INKS_H
#define CC_JXL_INKS_H

#ifdef CALOTYPE_JPEGXL

#include "cc_color.h"

#include <jxl/decode.h>

/// The black ink of an image of four inks, which libjxl returns as a separate channel; 255 means no ink.
typedef struct cc_jxl_inks {
    int has_black;
    uint32_t channel;
    /// One byte a pixel; NULL until they are received.
    uint8_t *levels;
    /// From the inks to sRGB; NULL for the plain product.
    cc_color_transform *color;
} cc_jxl_inks;

/// Searches the extra channels for black, once the header has been read.
void cc_jxl_inks_find(cc_jxl_inks *inks, const JxlDecoder *decoder, uint32_t channel_count);

/// Makes the decoder write the black of the next frame; called when it requests the rows.
cc_status cc_jxl_inks_receive(cc_jxl_inks *inks, JxlDecoder *decoder, const JxlBasicInfo *info);

/// Converts the inks of decoded rows to RGB; a pixel has 3 bytes, or 4 with alpha.
cc_status cc_jxl_inks_convert(
    const cc_jxl_inks *inks, uint32_t width, uint32_t bytes_per_pixel, cc_rows rows);

void cc_jxl_inks_clear(cc_jxl_inks *inks);

#endif

#endif
