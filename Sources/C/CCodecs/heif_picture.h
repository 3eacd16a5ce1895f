#ifndef CC_HEIF_PICTURE_H
#define CC_HEIF_PICTURE_H

#include <libde265/de265.h>

/// Makes a decoder allocate pictures that are filled with a known pattern instead of former memory contents.
///
/// libde265 1.0 does not clear memory and does not report which blocks a stream omits: they would show what
/// the process decoded earlier.
void cc_heif_picture_use(de265_decoder_context *decoder);

/// Call this before each picture of such a decoder after the first.
void cc_heif_picture_prepare(de265_decoder_context *decoder);

/// Returns whether no block of a decoded picture still holds the pattern.
int cc_heif_picture_is_whole(const struct de265_image *image);

#endif
