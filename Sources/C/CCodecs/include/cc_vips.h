#ifndef CC_VIPS_H
#define CC_VIPS_H

#include "cc_types.h"

/// A picture of libvips: its size is known, its pixels are computed when they are read (`VipsImage`).
///
/// The first call initializes libvips: loaders that are not hardened are disabled, one thread a call, no
/// cache of operations.
typedef struct cc_vips_picture cc_vips_picture;

/// An operation of libvips under construction (`VipsOperation`).
typedef struct cc_vips_operation cc_vips_operation;

/// Width, height and bands of a picture, and its origin in the picture that it was cropped from.
typedef struct cc_vips_shape {
    uint32_t width;
    uint32_t height;
    uint32_t band_count;
    int32_t left;
    int32_t top;
} cc_vips_shape;

/// Opens a picture over pixels that are not copied: they must outlive it and everything derived from it.
///
/// `*result` is owned by the caller, who calls `cc_vips_release`.
cc_status cc_vips_open(const cc_pixels *source, cc_vips_picture **result, cc_message *message);

/// Releases a picture; NULL is ignored. Derived pictures stay valid.
void cc_vips_release(cc_vips_picture *picture);

cc_vips_shape cc_vips_shape_of(cc_vips_picture *picture);

/// Starts an operation by its name in libvips; NULL for an unknown name.
///
/// Each started operation ends with `cc_vips_apply`.
cc_vips_operation *cc_vips_begin(const char *name);

/// Sets an argument by its name. Pointed-to data is copied; pictures are retained as long as the operation
/// needs them. An argument of an unknown name or another type is reported at the end.
void cc_vips_set_integer(cc_vips_operation *operation, const char *name, int32_t value);
void cc_vips_set_flag(cc_vips_operation *operation, const char *name, int32_t value);
void cc_vips_set_number(cc_vips_operation *operation, const char *name, double value);
/// Sets a text, the nickname of an enumeration's case, or the nickname of an interpolator.
void cc_vips_set_text(cc_vips_operation *operation, const char *name, const char *value);
void cc_vips_set_picture(cc_vips_operation *operation, const char *name, cc_vips_picture *value);
void cc_vips_set_numbers(cc_vips_operation *operation, const char *name, const double *values, size_t count);
void cc_vips_set_integers(
    cc_vips_operation *operation, const char *name, const int32_t *values, size_t count);
void cc_vips_set_pictures(
    cc_vips_operation *operation, const char *name, cc_vips_picture *const *values, size_t count);
/// Sets rows of numbers from top to bottom.
void cc_vips_set_matrix(
    cc_vips_operation *operation, const char *name, const double *values, int32_t width, int32_t height);

/// Ends an operation and returns its result `out`, owned by the caller.
cc_status cc_vips_apply(cc_vips_operation *operation, cc_vips_picture **result, cc_message *message);

/// Computes the pixels, 8 bits a band, on the calling thread, and writes them into rows of exactly their
/// length and number.
cc_status cc_vips_read(cc_vips_picture *picture, cc_rows rows, cc_message *message);

/// Returns the value of opaque alpha in linear light (scRGB): 1 since libvips 8.15, 255 before.
double cc_vips_light_alpha_max(void);

/// Returns the bytes that libvips currently holds, without the buffers of threads.
size_t cc_vips_byte_count(void);

#endif
