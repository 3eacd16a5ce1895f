#include "png_filter.h"

#include <string.h>

/// The bytes of a pixel, widened for addition; if it has fewer, the others are undefined.
typedef int16_t pixel __attribute__((vector_size(8)));
typedef uint8_t pixel_bytes __attribute__((vector_size(4)));

static inline pixel load(const uint8_t *bytes) {
    pixel_bytes value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_convertvector(value, pixel);
}

/// Modulo 256.
static inline void store(pixel value, uint8_t *bytes, size_t step) {
    pixel_bytes low = __builtin_convertvector(value & 255, pixel_bytes);
    memcpy(bytes, &low, step);
}

static inline pixel choose(pixel mask, pixel left, pixel right) {
    return (mask & left) | (~mask & right);
}

/// Returns the one of the three nearest to left + up − corner, in this order.
static inline pixel paeth(pixel left, pixel up, pixel corner) {
    pixel down = up - corner, across = left - corner;
    pixel to_left = __builtin_elementwise_abs(down);
    pixel to_up = __builtin_elementwise_abs(across);
    pixel to_corner = __builtin_elementwise_abs(down + across);
    pixel least = __builtin_elementwise_min(to_corner, __builtin_elementwise_min(to_left, to_up));
    return choose(least == to_left, left, choose(least == to_up, up, corner));
}

/// `step` is a constant at compile time, like in the next two functions.
static inline __attribute__((always_inline)) void add_left(uint8_t *row, size_t count, size_t step) {
    pixel left = {0};
    for (size_t i = 0; i < count; i += step) {
        left = (left + load(row + i)) & 255;
        store(left, row + i, step);
    }
}

static inline __attribute__((always_inline)) void add_mean(
    uint8_t *row, const uint8_t *above, size_t count, size_t step) {
    pixel left = {0};
    for (size_t i = 0; i < count; i += step) {
        left = (((left + load(above + i)) >> 1) + load(row + i)) & 255;
        store(left, row + i, step);
    }
}

static inline __attribute__((always_inline)) void add_nearest(
    uint8_t *row, const uint8_t *above, size_t count, size_t step) {
    pixel left = {0}, corner = {0};
    for (size_t i = 0; i < count; i += step) {
        pixel up = load(above + i);
        left = (paeth(left, up, corner) + load(row + i)) & 255;
        corner = up;
        store(left, row + i, step);
    }
}

static void add_above(uint8_t *restrict row, const uint8_t *restrict above, size_t count) {
    for (size_t i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + above[i]);
}

static inline __attribute__((always_inline)) void add(
    uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t filter) {
    switch (filter) {
    case 1: add_left(row, count, step); break;
    case 3: add_mean(row, above, count, step); break;
    default: add_nearest(row, above, count, step); break;
    }
}

int cc_png_unfilter(uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t filter) {
    if (filter == 0) return 1;
    if (filter > 4) return 0;
    if (filter == 2) {
        add_above(row, above, count);
        return 1;
    }
    switch (step) {
    case 1: add(row, above, count, 1, filter); break;
    case 2: add(row, above, count, 2, filter); break;
    case 3: add(row, above, count, 3, filter); break;
    default: add(row, above, count, 4, filter); break;
    }
    return 1;
}
