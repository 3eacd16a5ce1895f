#ifndef CC_HEIF_PICTURE_H
#define CC_HEIF_PICTURE_H

#include <libde265/de265.h>
#include <stddef.h>

/// Gives a decoder memory for its pictures that holds a known pattern, not what was there before.
///
/// libde265 1.0 takes memory as it comes and does not tell which blocks a stream left out: they would show
/// what the process decoded earlier.
void cc_heif_picture_use(de265_decoder_context *decoder);

/// For a decoder with its own account of its pictures: what `cc_heif_picture_use` sets up, to be called for
/// each. 0 where there is no memory.
int cc_heif_picture_get(
    de265_decoder_context *decoder, const struct de265_image_spec *spec, struct de265_image *image);

/// Of luma, with what is cropped; 0 where there is no memory.
size_t cc_heif_picture_pixel_count(const struct de265_image *image);

void cc_heif_picture_release(struct de265_image *image);

/// To be called before a picture is decoded by such a decoder.
void cc_heif_picture_prepare(de265_decoder_context *decoder);

/// Whether no block of a decoded picture still holds the pattern.
int cc_heif_picture_is_whole(const struct de265_image *image);

#endif
