#include "cc_internal.h"
#include "cc_resample.h"
#include "resample_axis.h"
#include "resample_light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// The four channels of a pixel; if it has fewer, the others are undefined.
typedef float cc_pixel __attribute__((vector_size(16)));
typedef int32_t cc_pixel_sums __attribute__((vector_size(16)));

// MARK: - Columns

enum {
    /// The rows that are added at once, since loading and storing the sums costs as much as adding.
    group_count = 4,
    /// The maximum rows of the result that such rows contribute to: fewer than 7 + 4 for tiny reductions.
    slot_count = 12,
};

/// The unit of row weights, which are integers.
#define row_unit 16384.0f

/// The rows of the result being summed.
typedef struct cc_reduction {
    /// The tables of linear light, or NULL to mix levels.
    const cc_light *light;
    cc_axis across, down;
    /// `down.weights` in units of `row_unit`.
    int16_t *row_weights;
    uint32_t channel_count;
    size_t sample_count;
    /// `group_count` rows in pairs, those of a pair interleaved by samples.
    int16_t *group;
    /// `slot_count` rows of sums.
    int32_t *sums;
    /// A row of the result before it is reduced horizontally.
    cc_pixel *line;
} cc_reduction;

/// Rounds the weights; the error of each is added to the next.
static void round_weights(cc_reduction *reduction) {
    const cc_axis *down = &reduction->down;
    for (uint32_t y = 0; y < down->count; y++) {
        float rest = 0;
        for (size_t i = 0; i < down->ends[y] - down->starts[y]; i++) {
            float weight = down->weights[y * down->stride + i] * row_unit + rest;
            float rounded = rintf(weight);
            rest = weight - rounded;
            reduction->row_weights[y * down->stride + i] = (int16_t)rounded;
        }
    }
}

/// Multiplies colours by alpha; the products and alpha are scaled to half of 255².
static void load_translucent(const uint8_t *row, int16_t *target, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        int alpha = row[i + 3];
        for (size_t channel = 0; channel < 4; channel++) {
            int value = channel < 3 ? row[i + channel] : 255;
            target[(i + channel) * 2] = (int16_t)((value * alpha + 1) >> 1);
        }
    }
}

static void load_pair(
    const cc_reduction *reduction, const uint8_t *upper, const uint8_t *lower, int16_t *pair) {
    size_t count = reduction->sample_count;
    const cc_light *light = reduction->light;
    if (light != NULL && reduction->channel_count == 4) {
        cc_light_load_translucent(light, upper, pair, count);
        cc_light_load_translucent(light, lower, pair + 1, count);
        return;
    }
    if (light != NULL) {
        cc_light_load(light, upper, lower, pair, count);
        return;
    }
    if (reduction->channel_count == 4) {
        load_translucent(upper, pair, count);
        load_translucent(lower, pair + 1, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        pair[i * 2] = upper[i];
        pair[i * 2 + 1] = lower[i];
    }
}

/// Missing rows are replaced by the last one, with a weight of 0.
static void load_group(const cc_reduction *reduction, const cc_pixels *source, uint32_t row) {
    size_t count = reduction->sample_count;
    for (uint32_t i = 0; i < group_count; i += 2) {
        uint32_t last = source->height - 1;
        uint32_t upper = row + i < last ? row + i : last, lower = row + i + 1 < last ? row + i + 1 : last;
        load_pair(
            reduction, source->bytes + upper * count, source->bytes + lower * count,
            reduction->group + i * count);
    }
}

/// Adds the rows of a group, each times its weight.
static void add_group(int32_t *sums, const int16_t *group, size_t count, const int16_t *weights) {
    const int16_t *upper = group, *lower = group + count * 2;
    size_t i = 0;
#ifdef __SSE2__
    int32_t pairs[2];
    memcpy(pairs, weights, sizeof pairs);
    __m128i first = _mm_set1_epi32(pairs[0]), second = _mm_set1_epi32(pairs[1]);
    for (; i + 4 <= count; i += 4) {
        __m128i above = _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(upper + i * 2)), first);
        __m128i below = _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(lower + i * 2)), second);
        __m128i *place = (__m128i *)(sums + i);
        __m128i sum = _mm_add_epi32(_mm_loadu_si128(place), above);
        _mm_storeu_si128(place, _mm_add_epi32(sum, below));
    }
#endif
    for (; i < count; i++) {
        sums[i] += upper[i * 2] * weights[0] + upper[i * 2 + 1] * weights[1] + lower[i * 2] * weights[2]
            + lower[i * 2 + 1] * weights[3];
    }
}

static int32_t *slot(const cc_reduction *reduction, uint32_t y) {
    return reduction->sums + y % slot_count * reduction->sample_count;
}

static int16_t row_weight(const cc_reduction *reduction, uint32_t y, uint32_t row) {
    const cc_axis *down = &reduction->down;
    if (row < down->starts[y] || row >= down->ends[y]) return 0;
    return reduction->row_weights[y * down->stride + (row - down->starts[y])];
}

// MARK: - Rows

static void load_line(const cc_reduction *reduction, const int32_t *sums) {
    for (uint32_t x = 0; x < reduction->across.source_count; x++) {
        cc_pixel_sums pixel;
        memcpy(&pixel, sums + (size_t)x * reduction->channel_count, sizeof pixel);
        reduction->line[x] = __builtin_convertvector(pixel, cc_pixel) * (1 / row_unit);
    }
}

static uint8_t level(float value) {
    return value <= 0 ? 0 : value >= 254.5f ? 255 : (uint8_t)(value + 0.5f);
}

static void store_light(const cc_light *light, cc_pixel value, uint8_t *target, uint32_t channel_count) {
    float factor = 1;
    if (channel_count == 4) {
        target[3] = level(value[3] * (255.0f / cc_light_unit));
        factor = target[3] == 0 ? 0 : cc_light_unit / value[3];
        channel_count = 3;
    }
    for (uint32_t channel = 0; channel < channel_count; channel++) {
        target[channel] = cc_light_level(light, value[channel] * factor);
    }
}

static void store_translucent(cc_pixel value, uint8_t *target) {
    uint8_t alpha = level(value[3] * (2.0f / 255));
    float factor = alpha == 0 ? 0 : 255 / value[3];
    for (int channel = 0; channel < 3; channel++) target[channel] = level(value[channel] * factor);
    target[3] = alpha;
}

static void write_row(const cc_reduction *reduction, const int32_t *sums, uint8_t *target) {
    const cc_axis *across = &reduction->across;
    uint32_t step = reduction->channel_count;
    load_line(reduction, sums);
    for (uint32_t x = 0; x < across->count; x++, target += step) {
        const cc_pixel *pixels = reduction->line + across->starts[x];
        const float *weights = across->weights + x * across->stride;
        cc_pixel even = {0}, odd = {0};
        uint32_t count = across->ends[x] - across->starts[x], i = 0;
        for (; i + 2 <= count; i += 2) {
            even += pixels[i] * weights[i];
            odd += pixels[i + 1] * weights[i + 1];
        }
        if (i < count) even += pixels[i] * weights[i];
        cc_pixel value = even + odd;
        if (reduction->light != NULL) {
            store_light(reduction->light, value, target, step);
        } else if (step == 4) {
            store_translucent(value, target);
        } else {
            for (uint32_t channel = 0; channel < step; channel++) target[channel] = level(value[channel]);
        }
    }
}

// MARK: - Pictures

/// Returns whether the image is complete.
static int reduce(const cc_reduction *reduction, const cc_pixels *source, cc_rows target) {
    const cc_axis *down = &reduction->down;
    size_t count = reduction->sample_count;
    uint32_t begun = 0, done = 0;
    for (uint32_t row = 0; row < source->height; row += group_count) {
        if (cc_is_stopped()) return 0;
        load_group(reduction, source, row);
        for (; begun < down->count && down->starts[begun] < row + group_count; begun++) {
            memset(slot(reduction, begun), 0, count * sizeof *reduction->sums);
        }
        for (uint32_t y = done; y < begun; y++) {
            int16_t weights[group_count];
            for (uint32_t i = 0; i < group_count; i++) weights[i] = row_weight(reduction, y, row + i);
            add_group(slot(reduction, y), reduction->group, count, weights);
        }
        for (; done < begun && down->ends[done] <= row + group_count; done++) {
            write_row(reduction, slot(reduction, done), target.bytes + done * target.row_byte_count);
        }
    }
    return 1;
}

static int open_reduction(
    cc_reduction *reduction, const cc_pixels *source, cc_extent extent, uint32_t width, uint32_t height) {
    size_t count = reduction->sample_count = (size_t)source->width * source->bytes_per_pixel;
    reduction->channel_count = source->bytes_per_pixel;
    if (!cc_axis_open(&reduction->across, source->width, extent.width, width)) return 0;
    if (!cc_axis_open(&reduction->down, source->height, extent.height, height)) return 0;
    reduction->row_weights = malloc(height * reduction->down.stride * sizeof *reduction->row_weights);
    reduction->group = malloc(count * group_count * sizeof *reduction->group);
    // A pixel of fewer than four channels is read together with the bytes after it.
    reduction->sums = calloc(count * slot_count + 4, sizeof *reduction->sums);
    reduction->line = malloc(source->width * sizeof *reduction->line);
    return reduction->row_weights != NULL && reduction->group != NULL && reduction->sums != NULL
        && reduction->line != NULL;
}

cc_status cc_resample(
    const cc_pixels *source, cc_extent extent, uint32_t width, cc_rows target, int32_t in_linear_light) {
    cc_reduction reduction = {.light = in_linear_light ? cc_light_tables() : NULL};
    cc_status status = cc_status_out_of_memory;
    if (open_reduction(&reduction, source, extent, width, target.row_count)) {
        round_weights(&reduction);
        status = reduce(&reduction, source, target) ? cc_status_ok : cc_status_stopped;
    }
    cc_axis_close(&reduction.across);
    cc_axis_close(&reduction.down);
    free(reduction.row_weights);
    free(reduction.group);
    free(reduction.sums);
    free(reduction.line);
    return status;
}
