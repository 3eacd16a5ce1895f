#include "cc_vips.h"
#include "vips_internal.h"

#include <string.h>
#include <vips/vips.h>

/// The images of the steps between belong to `scope` and go with it; `*result` is the caller's.
static int scale(VipsImage *source, double horizontal, double vertical, VipsImage **result) {
    return vips_resize(source, result, horizontal, "vscale", vertical, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
}

/// Multiplies alpha in, as floating point, so that what is transparent lends no colour; then out again,
/// rounded.
static int scale_with_alpha(
    VipsObject *scope, VipsImage *source, double horizontal, double vertical, VipsImage **result) {
    VipsImage **step = (VipsImage **)vips_object_local_array(scope, 4);
    if (vips_premultiply(source, &step[0], NULL) != 0) return -1;
    if (scale(step[0], horizontal, vertical, &step[1]) != 0) return -1;
    if (vips_unpremultiply(step[1], &step[2], NULL) != 0) return -1;
    if (vips_rint(step[2], &step[3], NULL) != 0) return -1;
    return vips_cast_uchar(step[3], result, NULL);
}

static int resize(
    VipsObject *scope, const cc_pixels *source, uint32_t width, uint32_t height, VipsImage **result) {
    VipsImage **step = (VipsImage **)vips_object_local_array(scope, 1);
    size_t byte_count = (size_t)source->width * source->height * source->bytes_per_pixel;
    step[0] = vips_image_new_from_memory(
        source->bytes, byte_count, (int)source->width, (int)source->height, (int)source->bytes_per_pixel,
        VIPS_FORMAT_UCHAR);
    if (step[0] == NULL) return -1;
    double horizontal = (double)width / source->width;
    double vertical = (double)height / source->height;
    if (source->bytes_per_pixel == 4) return scale_with_alpha(scope, step[0], horizontal, vertical, result);
    return scale(step[0], horizontal, vertical, result);
}

static cc_status write_pixels(VipsImage *image, uint32_t width, uint32_t height, uint8_t *target) {
    size_t byte_count = 0;
    size_t expected = (size_t)width * height * (size_t)vips_image_get_bands(image);
    void *pixels = vips_image_write_to_memory(image, &byte_count);
    if (pixels == NULL) return cc_status_failure;
    int is_whole = byte_count == expected && vips_image_get_width(image) == (int)width;
    if (is_whole) memcpy(target, pixels, byte_count);
    g_free(pixels);
    return is_whole ? cc_status_ok : cc_status_failure;
}

cc_status cc_vips_resize(
    const cc_pixels *source, uint32_t width, uint32_t height, uint8_t *target, cc_message *message) {
    cc_status status = cc_status_failure;
    if (cc_vips_start()) {
        VipsObject *scope = VIPS_OBJECT(vips_image_new());
        VipsImage **result = (VipsImage **)vips_object_local_array(scope, 1);
        cc_vips_lock();
        int is_built = resize(scope, source, width, height, result) == 0;
        cc_vips_unlock();
        if (is_built) status = write_pixels(*result, width, height, target);
        cc_vips_lock();
        g_object_unref(scope);
        cc_vips_unlock();
    }
    if (status != cc_status_ok) cc_vips_take_message(message);
    // Lets go of the buffers that libvips keeps for each thread that it did not make itself.
    vips_thread_shutdown();
    return status;
}
