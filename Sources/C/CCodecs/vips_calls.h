#ifndef VIPS_CALLS_H
#define VIPS_CALLS_H

// libvips, loaded when an operation first needs it: it depends on a hundred libraries, which would slow down
// the start of every program, mostly in vain. Included instead of <vips/vips.h>; a call is then a pointer set
// by `cc_vips_start`.

#include <vips/vips.h>

#include <vips/vector.h>

#define CC_EACH_VIPS_CALL(X) \
    X(area_unref) X(array_double_get_type) X(array_double_new) X(array_double_newv) \
    X(array_image_get_type) \
    X(array_image_new) X(array_int_get_type) X(array_int_new) X(block_untrusted_set) \
    X(cache_set_max) X(colourspace) X(concurrency_set) X(enum_from_nick) X(error_buffer_copy) \
    X(error_clear) X(flatten) X(format_sizeof_unsafe) X(image_get_bands) X(image_get_blob) \
    X(image_get_format) X(image_get_height) X(image_get_interpretation) X(image_get_type) \
    X(image_get_typeof) X(image_get_width) X(image_get_xoffset) X(image_get_yoffset) \
    X(image_new_from_memory) X(image_new_matrix_from_array) X(image_set_blob_copy) \
    X(init) X(interpolate_get_type) \
    X(interpolate_new) X(object_build) X(object_get_type) X(object_unref_outputs) \
    X(operation_new) X(rect_includespoint) X(region_new) X(region_prepare) X(thread_shutdown) \
    X(tiffload_buffer) X(tiffsave_buffer) X(tracked_get_mem) X(vector_set_enabled) \
    X(version)

#define CC_VIPS_POINTER(name) __typeof__(&vips_##name) name;
typedef struct {
    CC_EACH_VIPS_CALL(CC_VIPS_POINTER)
} cc_vips_calls;
#undef CC_VIPS_POINTER

extern cc_vips_calls cc_vips;

#define vips_area_unref cc_vips.area_unref
#define vips_array_double_get_type cc_vips.array_double_get_type
#define vips_array_double_new cc_vips.array_double_new
#define vips_array_double_newv cc_vips.array_double_newv
#define vips_array_image_get_type cc_vips.array_image_get_type
#define vips_array_image_new cc_vips.array_image_new
#define vips_array_int_get_type cc_vips.array_int_get_type
#define vips_array_int_new cc_vips.array_int_new
#define vips_block_untrusted_set cc_vips.block_untrusted_set
#define vips_cache_set_max cc_vips.cache_set_max
#define vips_colourspace cc_vips.colourspace
#define vips_concurrency_set cc_vips.concurrency_set
#define vips_enum_from_nick cc_vips.enum_from_nick
#define vips_error_buffer_copy cc_vips.error_buffer_copy
#define vips_error_clear cc_vips.error_clear
#define vips_flatten cc_vips.flatten
#define vips_format_sizeof_unsafe cc_vips.format_sizeof_unsafe
#define vips_image_get_bands cc_vips.image_get_bands
#define vips_image_get_blob cc_vips.image_get_blob
#define vips_image_get_format cc_vips.image_get_format
#define vips_image_get_height cc_vips.image_get_height
#define vips_image_get_interpretation cc_vips.image_get_interpretation
#define vips_image_get_type cc_vips.image_get_type
#define vips_image_get_typeof cc_vips.image_get_typeof
#define vips_image_get_width cc_vips.image_get_width
#define vips_image_get_xoffset cc_vips.image_get_xoffset
#define vips_image_get_yoffset cc_vips.image_get_yoffset
#define vips_image_new_from_memory cc_vips.image_new_from_memory
#define vips_image_new_matrix_from_array cc_vips.image_new_matrix_from_array
#define vips_image_set_blob_copy cc_vips.image_set_blob_copy
#define vips_init cc_vips.init
#define vips_interpolate_get_type cc_vips.interpolate_get_type
#define vips_interpolate_new cc_vips.interpolate_new
#define vips_object_build cc_vips.object_build
#define vips_object_get_type cc_vips.object_get_type
#define vips_object_unref_outputs cc_vips.object_unref_outputs
#define vips_operation_new cc_vips.operation_new
#define vips_rect_includespoint cc_vips.rect_includespoint
#define vips_region_new cc_vips.region_new
#define vips_region_prepare cc_vips.region_prepare
#define vips_thread_shutdown cc_vips.thread_shutdown
#define vips_tiffload_buffer cc_vips.tiffload_buffer
#define vips_tiffsave_buffer cc_vips.tiffsave_buffer
#define vips_tracked_get_mem cc_vips.tracked_get_mem
#define vips_vector_set_enabled cc_vips.vector_set_enabled
#define vips_version cc_vips.version

#endif
