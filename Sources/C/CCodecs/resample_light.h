#ifndef CC_RESAMPLE_LIGHT_H
#define CC_RESAMPLE_LIGHT_H

#include <stddef.h>
#include <stdint.h>

/// The unit of linear light: that of white.
///
/// The darkest level above black is 10, so that rounding costs a twentieth of a level at most.
enum { cc_light_unit = 32767 };

/// The transfer curve of sRGB (IEC 61966-2-1) in both directions.
typedef struct cc_light {
    /// The linear light of each level.
    int16_t light[256];
    /// The nearest level of each amount of light.
    uint8_t levels[cc_light_unit + 1];
    /// The factor of each alpha, in units of 1 / 32768.
    uint32_t alphas[256];
} cc_light;

/// Returns the tables, which are shared by all threads.
const cc_light *cc_light_tables(void);

/// Interleaves the light of two rows of levels without alpha.
void cc_light_load(
    const cc_light *tables, const uint8_t *upper, const uint8_t *lower, int16_t *pair, size_t count);

/// Writes the light of a row of RGBA, multiplied by alpha, to every other sample of `target`.
void cc_light_load_translucent(const cc_light *tables, const uint8_t *row, int16_t *target, size_t count);

/// Returns the level of an amount of light, which may lie beyond the range.
static inline uint8_t cc_light_level(const cc_light *tables, float light) {
    if (light <= 0) return 0;
    return light >= cc_light_unit ? 255 : tables->levels[(uint32_t)(light + 0.5f)];
}

#endif
