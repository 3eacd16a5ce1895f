#ifdef CALOTYPE_VIPS

#include "cc_internal.h"
#include "cc_vips.h"
#include "vips_calls.h"
#include "vips_internal.h"

#include <string.h>

/// The size of the strips that are computed at once: large enough that operations on neighbourhoods repeat
/// little work.
enum { strip_byte_count = 1 << 20, strip_row_count_min = 16 };

static VipsImage *image_of(cc_vips_picture *picture) {
    return (VipsImage *)picture;
}

// MARK: - Pictures

cc_status cc_vips_open(const cc_pixels *source, cc_vips_picture **result, cc_message *message) {
    *result = NULL;
    if (cc_vips_start()) {
        size_t byte_count = (size_t)source->width * source->height * source->bytes_per_pixel;
        cc_vips_lock();
        VipsImage *image = vips_image_new_from_memory(
            source->bytes, byte_count, (int)source->width, (int)source->height, (int)source->bytes_per_pixel,
            VIPS_FORMAT_UCHAR);
        cc_vips_unlock();
        if (image != NULL) {
            image->Type = source->bytes_per_pixel == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
            *result = (cc_vips_picture *)image;
            return cc_status_ok;
        }
    }
    cc_vips_take_message(message);
    return cc_status_failure;
}

void cc_vips_release(cc_vips_picture *picture) {
    if (picture == NULL) return;
    cc_vips_lock();
    g_object_unref(image_of(picture));
    cc_vips_unlock();
    // Frees the buffers that libvips holds for each thread that it did not create itself.
    vips_thread_shutdown();
}

cc_vips_shape cc_vips_shape_of(cc_vips_picture *picture) {
    VipsImage *image = image_of(picture);
    cc_vips_shape shape = {
        .width = (uint32_t)vips_image_get_width(image),
        .height = (uint32_t)vips_image_get_height(image),
        .band_count = (uint32_t)vips_image_get_bands(image),
        .left = -vips_image_get_xoffset(image),
        .top = -vips_image_get_yoffset(image),
    };
    return shape;
}

size_t cc_vips_byte_count(void) {
    return cc_vips_is_ready() ? vips_tracked_get_mem() : 0;
}

// MARK: - Operations

cc_vips_operation *cc_vips_begin(const char *name) {
    return cc_vips_start() ? (cc_vips_operation *)vips_operation_new(name) : NULL;
}

/// A failed argument is reported when the operation ends. libvips has one error text for all threads.
static const char *const failure_key = "calotype-failure";

static void note_failure(cc_vips_operation *operation, const char *name) {
    gchar *text = g_strdup_printf("libvips: “%s” does not take such an argument “%s”",
        VIPS_OBJECT_GET_CLASS(operation)->nickname, name);
    g_object_set_data_full(G_OBJECT(operation), failure_key, text, g_free);
}

/// Checks the type of an argument, since GObject would follow pointers of another type.
static int takes(cc_vips_operation *operation, const char *name, GType type) {
    GParamSpec *argument = g_object_class_find_property(G_OBJECT_GET_CLASS(operation), name);
    int is_of_type = argument != NULL && g_type_is_a(type, G_PARAM_SPEC_VALUE_TYPE(argument));
    if (!is_of_type) note_failure(operation, name);
    return is_of_type;
}

void cc_vips_set_integer(cc_vips_operation *operation, const char *name, int32_t value) {
    if (takes(operation, name, G_TYPE_INT)) g_object_set(operation, name, (int)value, NULL);
}

void cc_vips_set_flag(cc_vips_operation *operation, const char *name, int32_t value) {
    if (takes(operation, name, G_TYPE_BOOLEAN)) g_object_set(operation, name, (gboolean)value, NULL);
}

void cc_vips_set_number(cc_vips_operation *operation, const char *name, double value) {
    if (takes(operation, name, G_TYPE_DOUBLE)) g_object_set(operation, name, value, NULL);
}

/// Sets an interpolator by its nickname; 0 for an unknown one.
static int set_interpolation(cc_vips_operation *operation, const char *name, const char *value) {
    cc_vips_lock();
    VipsInterpolate *interpolation = vips_interpolate_new(value);
    if (interpolation != NULL) {
        g_object_set(operation, name, interpolation, NULL);
        g_object_unref(interpolation);
    } else {
        vips_error_clear();
    }
    cc_vips_unlock();
    return interpolation != NULL;
}

void cc_vips_set_text(cc_vips_operation *operation, const char *name, const char *value) {
    GParamSpec *argument = g_object_class_find_property(G_OBJECT_GET_CLASS(operation), name);
    if (argument != NULL && G_IS_PARAM_SPEC_STRING(argument)) {
        return g_object_set(operation, name, value, NULL);
    }
    if (argument != NULL && G_PARAM_SPEC_VALUE_TYPE(argument) == VIPS_TYPE_INTERPOLATE) {
        if (!set_interpolation(operation, name, value)) note_failure(operation, name);
        return;
    }
    if (argument != NULL && G_IS_PARAM_SPEC_ENUM(argument)) {
        cc_vips_lock();
        int value_of_case = vips_enum_from_nick("calotype", G_PARAM_SPEC_VALUE_TYPE(argument), value);
        if (value_of_case < 0) vips_error_clear();
        cc_vips_unlock();
        if (value_of_case >= 0) return g_object_set(operation, name, value_of_case, NULL);
    }
    note_failure(operation, name);
}

void cc_vips_set_picture(cc_vips_operation *operation, const char *name, cc_vips_picture *value) {
    if (takes(operation, name, VIPS_TYPE_IMAGE)) g_object_set(operation, name, image_of(value), NULL);
}

/// Takes ownership of the array.
static void set_array(cc_vips_operation *operation, const char *name, GType type, void *array) {
    if (takes(operation, name, type)) g_object_set(operation, name, array, NULL);
    g_boxed_free(type, array);
}

void cc_vips_set_numbers(
    cc_vips_operation *operation, const char *name, const double *values, size_t count) {
    set_array(operation, name, VIPS_TYPE_ARRAY_DOUBLE, vips_array_double_new(values, (int)count));
}

void cc_vips_set_integers(
    cc_vips_operation *operation, const char *name, const int32_t *values, size_t count) {
    set_array(operation, name, VIPS_TYPE_ARRAY_INT, vips_array_int_new(values, (int)count));
}

void cc_vips_set_pictures(
    cc_vips_operation *operation, const char *name, cc_vips_picture *const *values, size_t count) {
    VipsArrayImage *array = vips_array_image_new((VipsImage **)values, (int)count);
    set_array(operation, name, VIPS_TYPE_ARRAY_IMAGE, array);
}

void cc_vips_set_matrix(
    cc_vips_operation *operation, const char *name, const double *values, int32_t width, int32_t height) {
    if (!takes(operation, name, VIPS_TYPE_IMAGE)) return;
    cc_vips_lock();
    VipsImage *matrix = vips_image_new_matrix_from_array(width, height, values, width * height);
    cc_vips_unlock();
    if (matrix == NULL) return note_failure(operation, name);
    g_object_set(operation, name, matrix, NULL);
    cc_vips_lock();
    g_object_unref(matrix);
    cc_vips_unlock();
}

/// Called under the lock, so that the text is that of this failure.
static int build(cc_vips_operation *operation, cc_message *message) {
    const char *failure = g_object_get_data(G_OBJECT(operation), failure_key);
    if (failure != NULL) {
        cc_write_message(message, "%s", failure);
        return 0;
    }
    int is_built = vips_object_build(VIPS_OBJECT(operation)) == 0;
    if (!is_built) cc_vips_take_message(message);
    return is_built;
}

/// Called under the lock.
static void end(cc_vips_operation *operation) {
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
}

cc_status cc_vips_apply(cc_vips_operation *operation, cc_vips_picture **result, cc_message *message) {
    VipsImage *image = NULL;
    cc_vips_lock();
    if (build(operation, message)) g_object_get(operation, "out", &image, NULL);
    end(operation);
    cc_vips_unlock();
    *result = (cc_vips_picture *)image;
    return image == NULL ? cc_status_failure : cc_status_ok;
}

// MARK: - Pixels

static cc_status write_strips(VipsImage *image, VipsRegion *region, uint8_t *target, cc_message *message) {
    int width = vips_image_get_width(image);
    int height = vips_image_get_height(image);
    size_t row_byte_count = VIPS_IMAGE_SIZEOF_LINE(image);
    int count_max = (int)VIPS_MAX(strip_byte_count / row_byte_count, strip_row_count_min);
    for (int top = 0; top < height; top += count_max) {
        int count = VIPS_MIN(count_max, height - top);
        VipsRect strip = {0, top, width, count};
        if (vips_region_prepare(region, &strip) != 0) {
            cc_vips_take_message(message);
            return cc_status_failure;
        }
        for (int y = top; y < top + count; y++) {
            memcpy(target + (size_t)y * row_byte_count, VIPS_REGION_ADDR(region, 0, y), row_byte_count);
        }
    }
    return cc_status_ok;
}

cc_status cc_vips_read(cc_vips_picture *picture, cc_rows rows, cc_message *message) {
    VipsImage *image = image_of(picture);
    if (vips_image_get_format(image) != VIPS_FORMAT_UCHAR) {
        cc_write_message(message, "the image was not converted to 8 bits");
        return cc_status_failure;
    }
    if (VIPS_IMAGE_SIZEOF_LINE(image) != rows.row_byte_count
        || (uint32_t)vips_image_get_height(image) != rows.row_count) {
        cc_write_message(message, "the buffer size does not match the image");
        return cc_status_failure;
    }
    cc_vips_lock();
    VipsRegion *region = vips_region_new(image);
    cc_vips_unlock();
    if (region == NULL) return cc_status_out_of_memory;
    cc_status status = write_strips(image, region, rows.bytes, message);
    cc_vips_lock();
    g_object_unref(region);
    cc_vips_unlock();
    return status;
}

#endif
