#include "cbaselines.h"

#include <libheif/heif.h>
#include <string.h>

/// Copies the rows out of the library's image, which has padding.
static int copy(const struct heif_image *image, cb_picture *picture) {
    int stride = 0;
    const uint8_t *pixels = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    int width = heif_image_get_width(image, heif_channel_interleaved);
    int height = heif_image_get_height(image, heif_channel_interleaved);
    uint32_t step = picture->bytes_per_pixel;
    if (pixels == NULL || !cb_picture_make(picture, (uint32_t)width, (uint32_t)height, step)) return 0;
    size_t row_byte_count = (size_t)width * step;
    for (int y = 0; y < height; y++) {
        uint8_t *target = picture->bytes + (size_t)y * row_byte_count;
        memcpy(target, pixels + (size_t)y * (size_t)stride, row_byte_count);
    }
    return 1;
}

int cb_heif_decode(const uint8_t *file, size_t count, cb_picture *picture) {
    struct heif_context *context = heif_context_alloc();
    heif_context_set_max_decoding_threads(context, 0);
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    enum heif_chroma chroma =
        picture->bytes_per_pixel == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    // Calotype adds a stricter decoder to the process; this is libheif's own.
    options->decoder_id = "libde265";
    int is_done = heif_context_read_from_memory_without_copy(context, file, count, NULL).code == heif_error_Ok
        && heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok
        && heif_decode_image(handle, &image, heif_colorspace_RGB, chroma, options).code == heif_error_Ok
        && copy(image, picture);
    heif_decoding_options_free(options);
    if (image != NULL) heif_image_release(image);
    if (handle != NULL) heif_image_handle_release(handle);
    heif_context_free(context);
    return is_done;
}
