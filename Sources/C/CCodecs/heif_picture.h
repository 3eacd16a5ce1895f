#ifndef CC_HEIF_PICTURE_H
#define CC_HEIF_PICTURE_H

#include <libde265/de265.h>

/// Gives a decoder memory for its pictures that holds a known pattern, not what was there before.
///
/// libde265 1.0 takes memory as it comes and does not tell which blocks a stream left out: they would show
/// what the process decoded earlier.
void cc_heif_picture_use(de265_decoder_context *decoder);

/// To be called before each picture of such a decoder after the first.
void cc_heif_picture_prepare(de265_decoder_context *decoder);

/// Whether no block of a decoded picture still holds the pattern.
int cc_heif_picture_is_whole(const struct de265_image *image);

#endif
