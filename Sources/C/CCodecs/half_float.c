#include "cc_internal.h"

#include <string.h>

/// Converts IEC 60559 binary32 to binary16, rounding to the nearest, ties to even.
uint16_t cc_half_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    // From 65,520 on the value would be rounded to the next power of two, beyond the range.
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x33000001) return (uint16_t)sign;
    uint32_t exponent = magnitude >> 23;
    if (exponent < 113) {
        uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000, shift = 126 - exponent;
        uint32_t half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
        return (uint16_t)(sign | (half + (rest > middle || (rest == middle && (half & 1)))));
    }
    uint32_t half = (magnitude - (112u << 23)) >> 13, rest = magnitude & 0x1fff;
    return (uint16_t)(sign | (half + (rest > 0x1000 || (rest == 0x1000 && (half & 1)))));
}

float cc_single_of(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    float value;
    if (magnitude < 0x400) {
        // 2 to the power of -24.
        value = (float)magnitude * 5.9604644775390625e-8f;
        return sign == 0 ? value : -value;
    }
    uint32_t bits = sign | (magnitude >= 0x7c00 ? 0x7f800000 | (magnitude & 0x3ff) << 13
                                                : (magnitude << 13) + (112u << 23));
    memcpy(&value, &bits, sizeof value);
    return value;
}
