#ifndef CBASELINES_H
#define CBASELINES_H

#include <stddef.h>
#include <stdint.h>

// The C libraries called as their manuals say, one thread each. Functions that can fail give 0 where they do.

/// Pixels in fresh memory, rows without padding.
typedef struct cb_picture {
    uint8_t *bytes;
    uint32_t width;
    uint32_t height;
    /// 1 for gray, 3 for RGB, 4 for RGBA.
    uint32_t bytes_per_pixel;
} cb_picture;

/// Encoded bytes, of `malloc`.
typedef struct cb_file {
    uint8_t *bytes;
    size_t count;
} cb_file;

// MARK: - Memory

/// Sets the format of a picture and makes room for it: as the other side of the rows does it, in huge pages
/// where it is large, so that neither side wins by the way its memory is faulted in.
int cb_picture_make(cb_picture *picture, uint32_t width, uint32_t height, uint32_t bytes_per_pixel);

void cb_picture_free(cb_picture *picture);
void cb_file_free(cb_file *file);

// MARK: - Decoders

/// Decodes to the format that the picture names beforehand in `bytes_per_pixel`.
typedef int (*cb_decoder)(const uint8_t *file, size_t count, cb_picture *picture);

int cb_jpeg_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_png_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_webp_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_gif_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_avif_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_heif_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_jxl_decode(const uint8_t *file, size_t count, cb_picture *picture);
int cb_tiff_decode(const uint8_t *file, size_t count, cb_picture *picture);

// MARK: - Encoders

/// RGB or RGBA in, at a setting that is the format's own.
typedef int (*cb_encoder)(const cb_picture *picture, int setting, cb_file *file);

/// At a quality, 4:2:0.
int cb_jpeg_encode(const cb_picture *picture, int quality, cb_file *file);
/// At a level of zlib.
int cb_png_encode(const cb_picture *picture, int level, cb_file *file);
/// At a quality, effort 4.
int cb_webp_encode(const cb_picture *picture, int quality, cb_file *file);
/// With an effort.
int cb_webp_encode_lossless(const cb_picture *picture, int effort, cb_file *file);
/// With so many colours, chosen by giflib, without dithering.
int cb_gif_encode(const cb_picture *picture, int color_count, cb_file *file);
/// With a quantizer, 4:2:0, at the greatest speed.
int cb_avif_encode(const cb_picture *picture, int quantizer, cb_file *file);
/// At a distance in hundredths, effort 3.
int cb_jxl_encode(const cb_picture *picture, int distance, cb_file *file);
/// With a compression by its number, rows predicted from the left.
int cb_tiff_encode(const cb_picture *picture, int compression, cb_file *file);

// MARK: - Thumbnails

/// `vips_thumbnail_buffer` to a width, upright, one thread; with `converts`, through the file's profile.
int cb_vips_thumbnail(
    const uint8_t *file, size_t count, int width, int converts, cb_picture *picture);

/// The whole picture reduced by Lanczos 3 alone: every pixel counts with the weight that it should have.
int cb_vips_reduce(const cb_picture *whole, uint32_t width, uint32_t height, cb_picture *picture);

// MARK: - Animations

/// An animation that is played from its start; the file must outlive it.
typedef struct cb_player cb_player;

cb_player *cb_gif_player_open(const uint8_t *file, size_t count);
cb_player *cb_webp_player_open(const uint8_t *file, size_t count);

/// The canvas after the next frame, RGBA, valid until the one after; NULL after the last.
const uint8_t *cb_player_next(cb_player *player);

void cb_player_close(cb_player *player);

#endif
