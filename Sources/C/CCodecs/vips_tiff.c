#ifdef CALOTYPE_VIPS

#include "cc_internal.h"
#include "cc_tiff.h"
#include "vips_calls.h"
#include "vips_internal.h"

#include <stdlib.h>
#include <string.h>

struct cc_tiff_reader {
    /// Decodes on demand.
    VipsImage *image;
    cc_tiff_header header;
};

/// The number of rows per request.
enum { row_count_max = 64 };

// MARK: - Header

/// L*a*b* has no profile and no simple conversion to RGB: libvips converts it.
static int load(cc_bytes file, VipsImage **result) {
    VipsImage *loaded = NULL;
    int failed = vips_tiffload_buffer(
        (void *)file.start, file.count, &loaded, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
        VIPS_FAIL_ON_ERROR, NULL);
    if (failed) return -1;
    VipsInterpretation space = vips_image_get_interpretation(loaded);
    if (space != VIPS_INTERPRETATION_LAB && space != VIPS_INTERPRETATION_LABS) {
        *result = loaded;
        return 0;
    }
    failed = vips_colourspace(loaded, result, VIPS_INTERPRETATION_sRGB, NULL);
    g_object_unref(loaded);
    return failed;
}

static cc_channels channels_of(VipsImage *image) {
    int band_count = vips_image_get_bands(image);
    int is_ink = vips_image_get_interpretation(image) == VIPS_INTERPRETATION_CMYK;
    // The number of samples determines how far each pixel is read.
    if (is_ink && band_count >= 4) return cc_channels_cmyk;
    return band_count < 3 ? cc_channels_gray : cc_channels_rgb;
}

static int color_band_count(cc_channels channels) {
    return channels == cc_channels_gray ? 1 : channels == cc_channels_rgb ? 3 : 4;
}

static int32_t depth_of(VipsBandFormat format) {
    switch (format) {
    case VIPS_FORMAT_USHORT:
    case VIPS_FORMAT_UINT: return 1;
    case VIPS_FORMAT_FLOAT:
    case VIPS_FORMAT_DOUBLE: return 2;
    default: return 0;
    }
}

static void describe(cc_tiff_reader *reader, int32_t has_alpha) {
    VipsImage *image = reader->image;
    cc_channels channels = channels_of(image);
    int alpha = has_alpha && vips_image_get_bands(image) > color_band_count(channels);
    reader->header = (cc_tiff_header){
        .width = (uint32_t)vips_image_get_width(image),
        .height = (uint32_t)vips_image_get_height(image),
        .channels = channels,
        .has_alpha = alpha,
        .bytes_per_pixel = alpha ? 4 : channels == cc_channels_gray ? 1 : 3,
        .depth = channels == cc_channels_cmyk ? 0 : depth_of(vips_image_get_format(image)),
    };
    const void *profile = NULL;
    size_t byte_count = 0;
    if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0
        && vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &byte_count) == 0) {
        reader->header.profile = (cc_bytes){profile, byte_count};
    }
}

cc_status cc_tiff_open(
    cc_bytes file, int32_t has_alpha, cc_tiff_reader **result, cc_tiff_header *header, cc_message *message) {
    *result = NULL;
    cc_tiff_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    int is_ready = cc_vips_start();
    if (!is_ready || load(file, &reader->image) != 0) {
        // libvips has no codes, and one text for all threads: unsupported features are known from the tags.
        cc_vips_take_message(message);
        cc_tiff_close(reader);
        return is_ready ? cc_status_corrupt : cc_status_unsupported;
    }
    describe(reader, has_alpha);
    *header = reader->header;
    *result = reader;
    return cc_status_ok;
}

void cc_tiff_close(cc_tiff_reader *reader) {
    if (reader == NULL) return;
    if (reader->image != NULL) g_object_unref(reader->image);
    free(reader);
    if (cc_vips_is_ready()) vips_thread_shutdown();
}

// MARK: - Samples

static uint8_t reduce_fraction(double value) {
    // NaN becomes 0, like negative values.
    if (!(value > 0)) return 0;
    return value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5);
}

/// Rounds samples of any type to 8 bits; 0 for an unknown type. Floating point is expected in 0...1.
static int reduce(const void *source, VipsBandFormat format, uint8_t *target, size_t count) {
    switch (format) {
    case VIPS_FORMAT_UCHAR: memcpy(target, source, count); return 1;
    case VIPS_FORMAT_USHORT:
        for (size_t i = 0; i < count; i++) {
            target[i] = (uint8_t)((((const uint16_t *)source)[i] * 255u + 32767u) / 65535u);
        }
        return 1;
    case VIPS_FORMAT_UINT:
        for (size_t i = 0; i < count; i++) {
            target[i] = (uint8_t)((((const uint32_t *)source)[i] * (uint64_t)255 + INT32_MAX) / UINT32_MAX);
        }
        return 1;
    case VIPS_FORMAT_FLOAT:
        for (size_t i = 0; i < count; i++) target[i] = reduce_fraction(((const float *)source)[i]);
        return 1;
    case VIPS_FORMAT_DOUBLE:
        for (size_t i = 0; i < count; i++) target[i] = reduce_fraction(((const double *)source)[i]);
        return 1;
    default: return 0;
    }
}

/// Returns a sample of any deep type as 16 bits or as a half float.
static uint16_t deep_sample(const void *source, VipsBandFormat format, size_t index) {
    switch (format) {
    case VIPS_FORMAT_USHORT: return ((const uint16_t *)source)[index];
    case VIPS_FORMAT_UINT: return (uint16_t)((((const uint32_t *)source)[index] * (uint64_t)65535
        + INT32_MAX) / UINT32_MAX);
    case VIPS_FORMAT_FLOAT: return cc_half_of(((const float *)source)[index]);
    default: return cc_half_of((float)((const double *)source)[index]);
    }
}

static void convert_ink(const uint8_t *ink, uint8_t *target) {
    uint32_t light = 255u - ink[3];
    for (int i = 0; i < 3; i++) target[i] = (uint8_t)(((255u - ink[i]) * light + 127u) / 255u);
}

typedef struct cc_tiff_pass {
    const cc_tiff_reader *reader;
    int keeps_depth;
    const cc_color_transform *color;
    VipsRegion *region;
    /// The samples of a row as decoded, reduced to 8 bits.
    uint8_t *samples;
    /// The inks of a row without other samples, and the resulting colours.
    uint8_t *inks;
    uint8_t *mixed;
} cc_tiff_pass;

/// Converts inks to RGB in place, at the start of each pixel's samples.
static void mix_inks(const cc_tiff_pass *pass, uint32_t width, int band_count) {
    for (uint32_t x = 0; x < width; x++) memcpy(pass->inks + x * 4, pass->samples + x * band_count, 4);
    if (pass->color != NULL) {
        cc_color_apply(pass->color, pass->inks, pass->mixed, width);
    } else {
        for (uint32_t x = 0; x < width; x++) convert_ink(pass->inks + x * 4, pass->mixed + x * 3);
    }
    for (uint32_t x = 0; x < width; x++) memcpy(pass->samples + x * band_count, pass->mixed + x * 3, 3);
}

/// Copies the used samples of each pixel.
static void pack(const cc_tiff_header *header, int band_count, const uint8_t *samples, uint8_t *target) {
    int alpha = color_band_count(header->channels);
    int is_gray = header->channels == cc_channels_gray;
    for (uint32_t x = 0; x < header->width; x++, samples += band_count) {
        target[0] = samples[0];
        if (header->bytes_per_pixel > 1) {
            target[1] = samples[is_gray ? 0 : 1];
            target[2] = samples[is_gray ? 0 : 2];
        }
        if (header->bytes_per_pixel == 4) target[3] = samples[alpha];
        target += header->bytes_per_pixel;
    }
}

// MARK: - Rows

/// RGBA of 8 bytes a pixel.
static void write_deep_row(const cc_tiff_pass *pass, int y, uint8_t *target) {
    const cc_tiff_header *header = &pass->reader->header;
    VipsImage *image = pass->reader->image;
    VipsBandFormat format = vips_image_get_format(image);
    size_t band_count = (size_t)vips_image_get_bands(image);
    const void *source = VIPS_REGION_ADDR(pass->region, 0, y);
    size_t step = header->channels == cc_channels_gray ? 0 : 1;
    size_t alpha = (size_t)color_band_count(header->channels);
    // 1.0 as a half float.
    uint16_t opaque = header->depth == 2 ? 0x3c00 : 0xffff;
    for (size_t x = 0; x < header->width; x++) {
        uint16_t pixel[4];
        for (size_t i = 0; i < 3; i++) pixel[i] = deep_sample(source, format, x * band_count + i * step);
        pixel[3] = header->has_alpha ? deep_sample(source, format, x * band_count + alpha) : opaque;
        memcpy(target + x * sizeof pixel, pixel, sizeof pixel);
    }
    if (pass->color != NULL) cc_color_apply(pass->color, target, target, header->width);
}

static cc_status write_row(const cc_tiff_pass *pass, int y, uint8_t *target, cc_message *message) {
    const cc_tiff_header *header = &pass->reader->header;
    if (pass->keeps_depth) {
        write_deep_row(pass, y, target);
        return cc_status_ok;
    }
    VipsImage *image = pass->reader->image;
    int band_count = vips_image_get_bands(image);
    size_t sample_count = (size_t)header->width * (size_t)band_count;
    const void *source = VIPS_REGION_ADDR(pass->region, 0, y);
    int has_ink = header->channels == cc_channels_cmyk;
    int is_ready = vips_image_get_format(image) == VIPS_FORMAT_UCHAR && !has_ink
        && (uint32_t)band_count == header->bytes_per_pixel;
    if (is_ready) {
        memcpy(target, source, sample_count);
    } else if (!reduce(source, vips_image_get_format(image), pass->samples, sample_count)) {
        cc_write_message(message, "samples of a type that is not decoded: signed or complex numbers");
        return cc_status_unsupported;
    } else {
        if (has_ink) mix_inks(pass, header->width, band_count);
        pack(header, band_count, pass->samples, target);
    }
    if (pass->color != NULL && !has_ink) cc_color_apply(pass->color, target, target, header->width);
    return cc_status_ok;
}

static cc_status write_rows(const cc_tiff_pass *pass, cc_rows rows, cc_message *message) {
    const cc_tiff_header *header = &pass->reader->header;
    for (uint32_t top = 0; top < rows.row_count; top += row_count_max) {
        if (cc_is_stopped()) return cc_status_stopped;
        uint32_t rest = rows.row_count - top;
        int count = (int)(rest < row_count_max ? rest : row_count_max);
        VipsRect area = {0, (int)top, (int)header->width, count};
        if (vips_region_prepare(pass->region, &area) != 0) {
            cc_vips_take_message(message);
            return cc_status_corrupt;
        }
        if (cc_vips_damage() != NULL) {
            cc_write_message(message, "libtiff: %s", cc_vips_damage());
            return cc_status_corrupt;
        }
        for (int i = 0; i < count; i++) {
            uint8_t *row = rows.bytes + (top + (uint32_t)i) * rows.row_byte_count;
            cc_status status = write_row(pass, (int)top + i, row, message);
            if (status != cc_status_ok) return status;
        }
    }
    return cc_status_ok;
}

cc_status cc_tiff_decode(
    cc_tiff_reader *reader, int32_t keeps_depth, const cc_color_transform *color, cc_rows rows,
    cc_message *message) {
    size_t width = reader->header.width;
    int is_deep = keeps_depth && reader->header.depth != 0;
    if (rows.row_count != reader->header.height
        || rows.row_byte_count != width * (is_deep ? 8 : reader->header.bytes_per_pixel)) {
        cc_write_message(message, "the buffer size does not match the image");
        return cc_status_failure;
    }
    cc_tiff_pass pass = {
        .reader = reader, .keeps_depth = is_deep, .color = color, .region = vips_region_new(reader->image)};
    pass.samples = calloc(width, (size_t)vips_image_get_bands(reader->image));
    pass.inks = calloc(width, 4);
    pass.mixed = calloc(width, 3);
    cc_status status = cc_status_out_of_memory;
    if (pass.region != NULL && pass.samples != NULL && pass.inks != NULL && pass.mixed != NULL) {
        cc_vips_forget_damage();
        status = write_rows(&pass, rows, message);
    }
    if (pass.region != NULL) g_object_unref(pass.region);
    free(pass.samples);
    free(pass.inks);
    free(pass.mixed);
    return status;
}

#endif
