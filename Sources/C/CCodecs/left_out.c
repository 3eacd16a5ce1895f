// Replaces each library that a package trait has left out: opening always fails, so that other calls are
// unreachable. The error names the trait that adds the library.

#include "cc_avif.h"
#include "cc_gif.h"
#include "cc_heif.h"
#include "cc_hevc.h"
#include "cc_internal.h"
#include "cc_jxl.h"
#include "cc_tiff.h"
#include "cc_vips.h"

/// Defines a call that fails; `trait` is its name in the package.
#define CC_LEFT_OUT(trait, ...) \
    cc_status __VA_ARGS__ { \
        cc_write_message(message, "%s was left out of this build (trait %s)", trait, trait); \
        return cc_status_unsupported; \
    }

#pragma clang diagnostic ignored "-Wunused-parameter"

#ifndef CALOTYPE_AVIF
CC_LEFT_OUT("AVIF", cc_avif_open(cc_bytes file, const cc_avif_limits *limits, cc_avif_reader **reader,
                                 cc_avif_header *header, cc_message *message))
CC_LEFT_OUT("AVIF", cc_avif_decode(cc_avif_reader *reader, uint32_t index, int32_t keeps_depth,
                                   const cc_color_transform *color, cc_rows rows, cc_message *message))
int32_t cc_avif_writes_play_count(void) { return 0; }
CC_LEFT_OUT("AVIF", cc_avif_writer_open(const cc_avif_encoding *encoding, cc_avif_writer **writer,
                                        cc_message *message))
CC_LEFT_OUT("AVIF", cc_avif_writer_add(cc_avif_writer *writer, const cc_pixels *pixels, uint64_t milliseconds,
                                       cc_message *message))
CC_LEFT_OUT("AVIF", cc_avif_writer_finish(cc_avif_writer *writer, cc_output *output, cc_message *message))
int32_t cc_avif_is_key_frame(const cc_avif_reader *reader, uint32_t index) { return 0; }
void cc_avif_close(cc_avif_reader *reader) {}
void cc_avif_writer_close(cc_avif_writer *writer) {}
#endif

#ifndef CALOTYPE_HEIC
CC_LEFT_OUT("HEIC", cc_heif_open(cc_bytes file, uint32_t side_max, cc_heif_reader **reader,
                                 cc_heif_header *header, cc_message *message))
CC_LEFT_OUT("HEIC", cc_heif_decode(cc_heif_reader *reader, uint32_t bytes_per_pixel,
                                   const cc_color_transform *color, cc_rows rows, cc_message *message))
CC_LEFT_OUT("HEIC", cc_heif_encode(const cc_pixels *pixels, const cc_heif_encoding *encoding,
                                   cc_output *output, cc_message *message))
CC_LEFT_OUT("HEIC", cc_hevc_open(const cc_hevc_setup *setup, cc_hevc_reader **reader, cc_message *message))
CC_LEFT_OUT("HEIC", cc_hevc_push(cc_hevc_reader *reader, cc_bytes unit, cc_message *message))
CC_LEFT_OUT("HEIC", cc_hevc_decode(cc_hevc_reader *reader, cc_message *message))
CC_LEFT_OUT("HEIC", cc_hevc_write(const cc_hevc_reader *reader, const cc_hevc_reader *alpha,
                                  const cc_hevc_codes *codes, uint32_t bytes_per_pixel,
                                  const cc_color_transform *color, cc_rows rows, cc_message *message))
void cc_heif_close(cc_heif_reader *reader) {}
void cc_heif_set_filling(uint8_t value) {}
void cc_hevc_close(cc_hevc_reader *reader) {}
#endif

#ifndef CALOTYPE_JPEGXL
CC_LEFT_OUT("JPEGXL", cc_jxl_open(cc_jxl_purpose purpose, int32_t keeps_depth, cc_jxl_reader **reader,
                                  cc_message *message))
cc_output cc_jxl_profile(const cc_jxl_reader *reader) { return (cc_output){NULL, 0}; }
CC_LEFT_OUT("JPEGXL", cc_jxl_read_header(cc_jxl_reader *reader, cc_bytes file, cc_jxl_header *header,
                                         cc_message *message))
CC_LEFT_OUT("JPEGXL", cc_jxl_read_frame(cc_jxl_reader *reader, cc_bytes file, cc_rows rows,
                                        cc_message *message))
CC_LEFT_OUT("JPEGXL", cc_jxl_move(cc_jxl_reader *reader, uint32_t index, cc_message *message))
CC_LEFT_OUT("JPEGXL", cc_jxl_begin(const cc_jxl_encoding *encoding, const cc_pixels *first,
                                   cc_jxl_writer **writer, cc_message *message))
CC_LEFT_OUT("JPEGXL", cc_jxl_write_frame(cc_jxl_writer *writer, const cc_pixels *pixels,
                                         uint32_t microseconds, int32_t is_last, cc_message *message))
int32_t cc_jxl_show(cc_jxl_reader *reader) { return 0; }
cc_status cc_jxl_convert(const cc_jxl_reader *reader, cc_rows rows) { return cc_status_unsupported; }
void cc_jxl_close(cc_jxl_reader *reader) {}
void cc_jxl_finish(cc_jxl_writer *writer, cc_output *output) {}
void cc_jxl_abandon(cc_jxl_writer *writer) {}
uint32_t cc_jxl_version(void) { return 0; }
#endif

#ifndef CALOTYPE_GIF
const uint32_t cc_gif_side_max = 65535;
CC_LEFT_OUT("GIF", cc_gif_draw(const cc_gif_frame *frame, const cc_gif_canvas *canvas, cc_message *message))
CC_LEFT_OUT("GIF", cc_gif_open(const cc_gif_screen *screen, cc_gif_writer **writer, cc_message *message))
CC_LEFT_OUT("GIF", cc_gif_add(cc_gif_writer *writer, const cc_gif_image *image, cc_message *message))
CC_LEFT_OUT("GIF", cc_gif_finish(cc_gif_writer *writer, cc_output *output, cc_message *message))
void cc_gif_close(cc_gif_writer *writer) {}
#endif

// TIFF is read and written by libvips too: it is available if either trait is enabled.
#ifndef CALOTYPE_VIPS
CC_LEFT_OUT("TIFF", cc_tiff_open(cc_bytes file, int32_t has_alpha, cc_tiff_reader **reader,
                                 cc_tiff_header *header, cc_message *message))
CC_LEFT_OUT("TIFF", cc_tiff_decode(cc_tiff_reader *reader, int32_t keeps_depth,
                                   const cc_color_transform *color, cc_rows rows, cc_message *message))
CC_LEFT_OUT("TIFF", cc_tiff_encode(const cc_pixels *pixels, const cc_tiff_encoding *encoding,
                                   cc_output *output, cc_message *message))
void cc_tiff_close(cc_tiff_reader *reader) {}

CC_LEFT_OUT("Transforms", cc_vips_open(const cc_pixels *source, cc_vips_picture **result,
                                       cc_message *message))
CC_LEFT_OUT("Transforms", cc_vips_apply(cc_vips_operation *operation, cc_vips_picture **result,
                                        cc_message *message))
CC_LEFT_OUT("Transforms", cc_vips_read(cc_vips_picture *picture, cc_rows rows, cc_message *message))
void cc_vips_release(cc_vips_picture *picture) {}
cc_vips_shape cc_vips_shape_of(cc_vips_picture *picture) { return (cc_vips_shape){0}; }
cc_vips_operation *cc_vips_begin(const char *name) { return NULL; }
void cc_vips_set_integer(cc_vips_operation *operation, const char *name, int32_t value) {}
void cc_vips_set_flag(cc_vips_operation *operation, const char *name, int32_t value) {}
void cc_vips_set_number(cc_vips_operation *operation, const char *name, double value) {}
void cc_vips_set_text(cc_vips_operation *operation, const char *name, const char *value) {}
void cc_vips_set_picture(cc_vips_operation *operation, const char *name, cc_vips_picture *value) {}
void cc_vips_set_numbers(cc_vips_operation *operation, const char *name, const double *values,
                         size_t count) {}
void cc_vips_set_integers(cc_vips_operation *operation, const char *name, const int32_t *values,
                          size_t count) {}
void cc_vips_set_pictures(cc_vips_operation *operation, const char *name, cc_vips_picture *const *values,
                          size_t count) {}
void cc_vips_set_matrix(cc_vips_operation *operation, const char *name, const double *values, int32_t width,
                        int32_t height) {}
double cc_vips_light_alpha_max(void) { return 1; }
size_t cc_vips_byte_count(void) { return 0; }
#endif
