#include "resample_axis.h"

#include <math.h>
#include <stdlib.h>

/// Evaluates the kernel at the distances `t`, `t` + `step`, …, from a sine that yields both of its factors.
typedef struct cc_kernel {
    double t, step;
    /// The sine and cosine of π t / 3.
    double sine, cosine;
    double step_sine, step_cosine;
} cc_kernel;

static cc_kernel kernel_at(double t, double step) {
    double angle = M_PI / 3 * t, turn = M_PI / 3 * step;
    return (cc_kernel){t, step, sin(angle), cos(angle), sin(turn), cos(turn)};
}

static double next_value(cc_kernel *kernel) {
    double t = kernel->t, s = kernel->sine, c = kernel->cosine;
    kernel->t += kernel->step;
    kernel->sine = s * kernel->step_cosine + c * kernel->step_sine;
    kernel->cosine = c * kernel->step_cosine - s * kernel->step_sine;
    if (fabs(t) >= 3) return 0;
    if (fabs(t) < 1e-6) return 1;
    // sin πt sin(πt / 3) · 3 / (πt)², the first of which is 3 s − 4 s³.
    return (3 - 4 * s * s) * s * s * 3 / (M_PI * M_PI * t * t);
}

/// Computes the weights of one pixel of the result; the outermost pixel is repeated beyond the edge.
static void weigh(cc_axis *axis, uint32_t index) {
    double scale = axis->scale;
    double center = (index + 0.5) * scale;
    // The centres of these pixels lie within three pixels of the result.
    int64_t first = (int64_t)ceil(center - 3 * scale - 0.5), last = (int64_t)floor(center + 3 * scale - 0.5);
    int64_t limit = (int64_t)axis->source_count - 1;
    uint32_t start = first < 0 ? 0 : (uint32_t)first;
    uint32_t end = last > limit ? (uint32_t)limit + 1 : (uint32_t)last + 1;
    float *weights = axis->weights + index * axis->stride;
    double sum = 0;
    cc_kernel kernel = kernel_at(((double)first + 0.5 - center) / scale, 1 / scale);
    for (int64_t i = first; i <= last; i++) {
        double value = next_value(&kernel);
        int64_t place = i < 0 ? 0 : i > limit ? limit : i;
        weights[place - start] += (float)value;
        sum += value;
    }
    for (uint32_t i = 0; i < end - start; i++) weights[i] = (float)(weights[i] / sum);
    axis->starts[index] = start;
    axis->ends[index] = end;
}

void cc_axis_close(cc_axis *axis) {
    free(axis->starts);
    free(axis->ends);
    free(axis->weights);
}

int cc_axis_open(cc_axis *axis, uint32_t source_count, double extent, uint32_t count) {
    double stride = ceil(6.0 * source_count / count) + 3;
    axis->source_count = source_count;
    axis->count = count;
    axis->scale = extent / count;
    axis->stride = stride < source_count ? (size_t)stride : source_count;
    axis->starts = malloc(count * sizeof *axis->starts);
    axis->ends = malloc(count * sizeof *axis->ends);
    axis->weights = calloc(count * axis->stride, sizeof *axis->weights);
    if (axis->starts == NULL || axis->ends == NULL || axis->weights == NULL) return 0;
    for (uint32_t i = 0; i < count; i++) weigh(axis, i);
    return 1;
}
