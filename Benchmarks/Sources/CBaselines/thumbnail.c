#include "cbaselines.h"

#include <string.h>
#include <vips/vips.h>

static int start(void) {
    if (vips_init("bench") != 0) return 0;
    vips_concurrency_set(1);
    // Every thumbnail is made, none remembered.
    vips_cache_set_max(0);
    return 1;
}

/// Computes the pixels, into memory of the library's own; they are moved into the picture's, which is small.
static int finish(VipsImage *image, cb_picture *picture) {
    size_t byte_count = 0;
    void *bytes = vips_image_write_to_memory(image, &byte_count);
    if (bytes == NULL) return 0;
    uint32_t bands = (uint32_t)vips_image_get_bands(image);
    int is_done = cb_picture_make(
        picture, (uint32_t)vips_image_get_width(image), (uint32_t)vips_image_get_height(image), bands);
    if (is_done) memcpy(picture->bytes, bytes, byte_count);
    g_free(bytes);
    return is_done;
}

int cb_vips_thumbnail(
    const uint8_t *file, size_t count, int width, int converts, cb_picture *picture) {
    if (!start()) return 0;
    VipsImage *image = NULL;
    void *bytes = (void *)(uintptr_t)file;
    int failed = converts
        ? vips_thumbnail_buffer(
              bytes, count, &image, width, "height", VIPS_MAX_COORD, "export_profile", "srgb", NULL)
        : vips_thumbnail_buffer(bytes, count, &image, width, "height", VIPS_MAX_COORD, NULL);
    if (failed) return 0;
    int is_done = finish(image, picture);
    g_object_unref(image);
    return is_done;
}

int cb_vips_reduce(const cb_picture *whole, uint32_t width, uint32_t height, cb_picture *picture) {
    if (!start()) return 0;
    size_t byte_count = (size_t)whole->width * whole->height * whole->bytes_per_pixel;
    VipsImage *source = vips_image_new_from_memory(
        whole->bytes, byte_count, (int)whole->width, (int)whole->height, (int)whole->bytes_per_pixel,
        VIPS_FORMAT_UCHAR);
    if (source == NULL) return 0;
    VipsImage *reduced = NULL;
    int failed = vips_reduce(
        source, &reduced, (double)whole->width / width, (double)whole->height / height, "kernel",
        VIPS_KERNEL_LANCZOS3, NULL);
    g_object_unref(source);
    if (failed) return 0;
    int is_done = finish(reduced, picture);
    g_object_unref(reduced);
    return is_done;
}
