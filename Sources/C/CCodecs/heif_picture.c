#ifdef CALOTYPE_HEIC

#include "heif_picture.h"
#include "cc_heif.h"

#include <stdlib.h>
#include <string.h>

/// The alignment of planes and rows, and the distance that vector instructions may read beyond the last
/// sample.
static const size_t alignment = 64;

/// The period of the pattern in samples, and its shift from row to row.
enum { period = 256, row_step = 37 };

/// The size of a checked block: at most that of a missing slice's area in luma or chroma.
static const int block_side = 8;
/// The number of pattern samples at which a block counts as not written. Filters modify samples near other
/// blocks; and no flat colour reaches the number, since no level is as frequent in the pattern.
static const int match_count = 16;

/// The header of a picture's plane, stored before its samples.
typedef struct plane {
    int width;
    int height;
    /// In samples.
    int stride;
    /// The size of a sample in memory.
    int byte_count;
    int bits;
} plane;

static _Thread_local uint8_t filling = 0;

void cc_heif_set_filling(uint8_t value) {
    filling = value;
}

static uint8_t *samples(const plane *plane) {
    return (uint8_t *)(uintptr_t)plane + alignment;
}

/// Two periods, as samples of the plane's type.
typedef struct pattern {
    uint16_t levels[2 * period];
    uint8_t bytes[2 * period * sizeof(uint16_t)];
} pattern;

static void make_pattern(pattern *pattern, const plane *plane) {
    uint32_t state = 0x9E3779B9u + filling;
    for (int i = 0; i < 2 * period; i++) {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if (i == period) memcpy(pattern->levels + period, pattern->levels, period * sizeof(uint16_t));
        if (i < period) pattern->levels[i] = (uint16_t)((state >> 24) << (plane->bits - 8));
    }
    if (plane->byte_count == 2) {
        memcpy(pattern->bytes, pattern->levels, sizeof pattern->levels);
        return;
    }
    for (int i = 0; i < 2 * period; i++) pattern->bytes[i] = (uint8_t)pattern->levels[i];
}

static void fill(const plane *plane) {
    pattern pattern;
    make_pattern(&pattern, plane);
    size_t byte_count = (size_t)plane->byte_count;
    for (int y = 0; y < plane->height; y++) {
        const uint8_t *source = pattern.bytes + (size_t)(y * row_step % period) * byte_count;
        uint8_t *row = samples(plane) + (size_t)y * (size_t)plane->stride * byte_count;
        for (int x = 0; x < plane->stride; x += period) {
            int count = plane->stride - x < period ? plane->stride - x : period;
            memcpy(row + (size_t)x * byte_count, source, (size_t)count * byte_count);
        }
    }
}

// MARK: - Memory

static plane *make_plane(int width, int height, int bits) {
    if (width < 1 || height < 1 || bits < 8 || bits > 16) return NULL;
    size_t step = alignment - 1;
    size_t stride = ((size_t)width + step) & ~step;
    size_t byte_count = bits > 8 ? 2 : 1;
    // The limits were checked; a picture has at most their pixels, so this cannot overflow.
    plane *made = aligned_alloc(alignment, alignment + stride * (size_t)height * byte_count + alignment);
    if (made == NULL) return NULL;
    *made = (plane){width, height, (int)stride, (int)byte_count, bits};
    fill(made);
    return made;
}

static void release(de265_decoder_context *decoder, struct de265_image *image, void *userdata) {
    (void)decoder;
    (void)userdata;
    for (int i = 0; i < 3; i++) {
        free(de265_get_image_plane_user_data(image, i));
        de265_set_image_plane(image, i, NULL, 0, NULL);
    }
}

static int get(
    de265_decoder_context *unused, struct de265_image_spec *spec, struct de265_image *image, void *decoder) {
    (void)unused;
    // From here on the picture is filtered as its stream states.
    de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 0);
    enum de265_chroma chroma = de265_get_chroma_format(image);
    int across = chroma == de265_chroma_420 || chroma == de265_chroma_422 ? 2 : 1;
    int down = chroma == de265_chroma_420 ? 2 : 1;
    for (int i = 0; i < 3; i++) de265_set_image_plane(image, i, NULL, 0, NULL);
    for (int i = 0; i < (chroma == de265_chroma_mono ? 1 : 3); i++) {
        int width = i == 0 ? spec->width : spec->width / across;
        int height = i == 0 ? spec->height : spec->height / down;
        plane *plane = make_plane(width, height, de265_get_bits_per_pixel(image, i));
        if (plane == NULL) {
            release(decoder, image, decoder);
            return 0;
        }
        de265_set_image_plane(image, i, samples(plane), plane->stride * plane->byte_count, plane);
    }
    return 1;
}

void cc_heif_picture_prepare(de265_decoder_context *decoder) {
    // libde265 allocates memory of its own for a picture with sample adaptive offset (SAO), though it applies
    // the offset in place. Therefore SAO is disabled until it has requested the memory.
    de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 1);
}

void cc_heif_picture_use(de265_decoder_context *decoder) {
    struct de265_image_allocation allocation = {get, release};
    de265_set_image_allocation_functions(decoder, &allocation, decoder);
    cc_heif_picture_prepare(decoder);
}

// MARK: - Written blocks

static int holds_pattern(const plane *plane, const pattern *pattern, int x, int y) {
    size_t place = (size_t)y * (size_t)plane->stride + (size_t)x;
    uint16_t level = pattern->levels[(x + y * row_step) % period];
    const uint8_t *bytes = samples(plane);
    return (plane->byte_count == 1 ? bytes[place] : ((const uint16_t *)(const void *)bytes)[place]) == level;
}

static int is_untouched(const plane *plane, const pattern *pattern, int left, int top) {
    int right = left + block_side < plane->width ? left + block_side : plane->width;
    int bottom = top + block_side < plane->height ? top + block_side : plane->height;
    // Most blocks end here.
    if (!holds_pattern(plane, pattern, (left + right) / 2, (top + bottom) / 2)) return 0;
    int count = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) count += holds_pattern(plane, pattern, x, y);
    }
    return count >= match_count;
}

int cc_heif_picture_is_whole(const struct de265_image *image) {
    for (int i = 0; i < (de265_get_chroma_format(image) == de265_chroma_mono ? 1 : 3); i++) {
        const plane *plane = de265_get_image_plane_user_data(image, i);
        // Memory of libde265: a second picture.
        if (plane == NULL) return 0;
        pattern pattern;
        make_pattern(&pattern, plane);
        for (int y = 0; y < plane->height; y += block_side) {
            for (int x = 0; x < plane->width; x += block_side) {
                if (is_untouched(plane, &pattern, x, y)) return 0;
            }
        }
    }
    return 1;
}

#endif
