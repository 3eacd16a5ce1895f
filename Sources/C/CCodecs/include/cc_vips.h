#ifndef CC_VIPS_H
#define CC_VIPS_H

#include "cc_types.h"

/// A picture of libvips: its size is known, its pixels are made when they are read (`VipsImage`).
///
/// The first call sets libvips up: loaders that are not hardened off, one thread a call, no cache of
/// operations.
typedef struct cc_vips_picture cc_vips_picture;

/// An operation of libvips that is being told its arguments (`VipsOperation`).
typedef struct cc_vips_operation cc_vips_operation;

/// Width, height and bands of a picture, and where its origin lies in what it was cut out of.
typedef struct cc_vips_shape {
    uint32_t width;
    uint32_t height;
    uint32_t band_count;
    int32_t left;
    int32_t top;
} cc_vips_shape;

/// A picture over pixels that are not copied: they must live as long as it and all that is made of it.
///
/// `*result` is the caller's, who calls `cc_vips_release`.
cc_status cc_vips_open(const cc_pixels *source, cc_vips_picture **result, cc_message *message);

/// Gives a picture back; NULL is ignored. What was made of it stays.
void cc_vips_release(cc_vips_picture *picture);

cc_vips_shape cc_vips_shape_of(cc_vips_picture *picture);

/// Begins an operation, named as libvips names it; NULL where there is none of the name.
///
/// Each operation that was begun ends with `cc_vips_apply`.
cc_vips_operation *cc_vips_begin(const char *name);

/// Sets an argument by its name. What it points to is copied; pictures are kept as long as the operation
/// needs them. An argument that the operation does not have, or that is of another type there, is reported
/// at the end.
void cc_vips_set_integer(cc_vips_operation *operation, const char *name, int32_t value);
void cc_vips_set_flag(cc_vips_operation *operation, const char *name, int32_t value);
void cc_vips_set_number(cc_vips_operation *operation, const char *name, double value);
/// A text, the nickname of a case of an enumeration, or that of a way to interpolate.
void cc_vips_set_text(cc_vips_operation *operation, const char *name, const char *value);
void cc_vips_set_picture(cc_vips_operation *operation, const char *name, cc_vips_picture *value);
void cc_vips_set_numbers(cc_vips_operation *operation, const char *name, const double *values, size_t count);
void cc_vips_set_integers(
    cc_vips_operation *operation, const char *name, const int32_t *values, size_t count);
void cc_vips_set_pictures(
    cc_vips_operation *operation, const char *name, cc_vips_picture *const *values, size_t count);
/// Rows of numbers from top to bottom.
void cc_vips_set_matrix(
    cc_vips_operation *operation, const char *name, const double *values, int32_t width, int32_t height);

/// Ends an operation and takes its result `out`, which is the caller's.
cc_status cc_vips_apply(cc_vips_operation *operation, cc_vips_picture **result, cc_message *message);

/// Makes the pixels, 8 bits a band, and writes them into rows of exactly their length and number, on the
/// calling thread.
cc_status cc_vips_read(cc_vips_picture *picture, cc_rows rows, cc_message *message);

/// What stands for opaque in linear light (scRGB): 1 since libvips 8.15, 255 before.
double cc_vips_light_alpha_max(void);

/// Bytes that libvips holds at present, but for the buffers of threads.
size_t cc_vips_byte_count(void);

#endif
