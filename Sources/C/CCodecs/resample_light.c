#include "resample_light.h"

#include <math.h>
#include <pthread.h>

static cc_light shared;

/// The linear light of a level, which may have a fraction.
static double light_of(double level) {
    double value = level / 255;
    return cc_light_unit * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
}

static void fill_tables(void) {
    uint32_t next = 0;
    for (int level = 0; level < 256; level++) {
        shared.light[level] = (int16_t)lrint(light_of(level));
        shared.alphas[level] = (uint32_t)lrint(level * 32768.0 / 255);
        // Between two levels the nearest one is that of the perceived brightness, not that of the light.
        double end = level < 255 ? light_of(level + 0.5) : cc_light_unit;
        for (; next <= cc_light_unit && next <= end; next++) shared.levels[next] = (uint8_t)level;
    }
}

const cc_light *cc_light_tables(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    return &shared;
}

void cc_light_load(
    const cc_light *tables, const uint8_t *upper, const uint8_t *lower, int16_t *pair, size_t count) {
    const int16_t *light = tables->light;
    for (size_t i = 0; i < count; i++) {
        pair[i * 2] = light[upper[i]];
        pair[i * 2 + 1] = light[lower[i]];
    }
}

void cc_light_load_translucent(const cc_light *tables, const uint8_t *row, int16_t *target, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        uint32_t alpha = tables->alphas[row[i + 3]];
        for (size_t channel = 0; channel < 4; channel++) {
            uint32_t light = channel < 3 ? (uint32_t)tables->light[row[i + channel]] : cc_light_unit;
            target[(i + channel) * 2] = (int16_t)((light * alpha + 16384) >> 15);
        }
    }
}
