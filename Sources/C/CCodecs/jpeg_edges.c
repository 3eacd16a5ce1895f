#include "jpeg_edges.h"
#include "jpeg_reader.h"

#include <math.h>
#include <string.h>

/// The used part of libjpeg's `struct jpeg_inverse_dct`: its header jpegint.h is not installed everywhere,
/// and it has started like this since version 6.
typedef struct inverse_functions {
    void (*start_pass)(j_decompress_ptr info);
    cc_jpeg_inverse functions[MAX_COMPONENTS];
} inverse_functions;

/// No group of rows.
static const JDIMENSION no_group = UINT32_MAX;

static uint32_t side_of(const jpeg_component_info *component) {
#if JPEG_LIB_VERSION >= 70
    int is_square = component->DCT_h_scaled_size == component->DCT_v_scaled_size;
    return is_square ? (uint32_t)component->DCT_h_scaled_size : DCTSIZE;
#else
    return (uint32_t)component->DCT_scaled_size;
#endif
}

// MARK: - Samples

/// Computes the weights of the eight coefficients for each sample of a side that is reduced to `side` of
/// them; the samples from `real` on repeat the last one before.
static void weigh(cc_jpeg_weights weights, uint32_t side, uint32_t real) {
    uint32_t mean = DCTSIZE / side;
    memset(weights, 0, sizeof(cc_jpeg_weights));
    for (uint32_t place = 0; place < DCTSIZE; place++) {
        uint32_t source = place < real ? place : real - 1;
        for (uint32_t k = 0; k < DCTSIZE; k++) {
            double scale = k == 0 ? sqrt(1.0 / DCTSIZE) : sqrt(2.0 / DCTSIZE);
            double value = scale * cos((2 * source + 1) * k * M_PI / (2 * DCTSIZE));
            weights[place / mean][k] += (float)(value / mean);
        }
    }
}

static JSAMPLE level(float value) {
    float shifted = value + CENTERJSAMPLE;
    return shifted <= 0 ? 0 : shifted >= MAXJSAMPLE ? MAXJSAMPLE : (JSAMPLE)(shifted + 0.5f);
}

/// Like the library's own function for a block within the image: means of the samples of the whole block.
static void reduce_edge(
    const cc_jpeg_edge *edge, const jpeg_component_info *component, const JCOEF *coefficients,
    const cc_jpeg_weights across, const cc_jpeg_weights down, JSAMPARRAY rows, JDIMENSION column) {
    float halves[DCTSIZE][cc_jpeg_edge_side_max];
    for (uint32_t v = 0; v < DCTSIZE; v++) {
        for (uint32_t x = 0; x < edge->side; x++) {
            float sum = 0;
            for (uint32_t u = 0; u < DCTSIZE; u++) {
                uint32_t place = v * DCTSIZE + u;
                float value = (float)coefficients[place] * component->quant_table->quantval[place];
                sum += across[x][u] * value;
            }
            halves[v][x] = sum;
        }
    }
    for (uint32_t y = 0; y < edge->side; y++) {
        for (uint32_t x = 0; x < edge->side; x++) {
            float sum = 0;
            for (uint32_t v = 0; v < DCTSIZE; v++) sum += down[y][v] * halves[v][x];
            rows[y][column + x] = level(sum);
        }
    }
}

// MARK: - Blocks

static cc_jpeg_edge *edge_of(j_decompress_ptr info, const jpeg_component_info *component) {
    return &((cc_jpeg_reader *)info)->edges[component->component_index];
}

/// Computes the last block of a row, which extends beyond the right edge.
static __attribute__((noinline)) void make_last_column(
    j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients, JSAMPARRAY rows,
    JDIMENSION column) {
    const cc_jpeg_edge *edge = edge_of(info, component);
    if (edge->side > 1) {
        const cc_jpeg_edge_weights *weights = edge->weights;
        reduce_edge(edge, component, coefficients, weights->across, weights->whole, rows, column);
    } else if (column > 0) {
        rows[0][column] = rows[0][column - 1];
    } else {
        edge->inverse(info, component, coefficients, rows, column);
    }
}

/// Called by the library instead of its own function, for each block; at most two jumps for nearly all.
static void make_columns(
    j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients, JSAMPARRAY rows,
    JDIMENSION column) {
    const cc_jpeg_edge *edge = edge_of(info, component);
    cc_jpeg_inverse make = column == edge->last_column ? make_last_column : edge->inverse;
    make(info, component, coefficients, rows, column);
}

/// Computes one sample for a block of which only the mean is available.
static void make_sample(
    const cc_jpeg_edge *edge, j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients,
    JSAMPARRAY rows, JDIMENSION column, JDIMENSION row) {
    JSAMPROW samples = rows[0];
    if (row == edge->last_row && row > 0 && edge->real_height < DCTSIZE) {
        samples[column] = edge->above[column];
        return;
    }
    edge->inverse(info, component, coefficients, rows, column);
    int is_over = column == edge->last_column && edge->real_width < DCTSIZE;
    if (is_over && column > 0) samples[column] = samples[column - 1];
    if (row + 1 == edge->last_row) edge->above[column] = samples[column];
}

/// Like `make_columns`, for the groups of rows that end at the bottom; the block rows of a group have
/// consecutive pointers, starting with the first.
static void make_last_rows(
    j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients, JSAMPARRAY rows,
    JDIMENSION column) {
    cc_jpeg_edge *edge = edge_of(info, component);
    if (edge->first == NULL || edge->group != info->output_iMCU_row) {
        edge->group = info->output_iMCU_row;
        edge->first = rows;
    }
    JDIMENSION row = edge->group * (JDIMENSION)component->v_samp_factor
        + (JDIMENSION)((rows - edge->first) / edge->side);
    if (edge->side == 1) {
        make_sample(edge, info, component, coefficients, rows, column, row);
        return;
    }
    int is_last_column = column == edge->last_column && edge->real_width < DCTSIZE;
    int is_last_row = row == edge->last_row;
    if (!is_last_column && !is_last_row) {
        edge->inverse(info, component, coefficients, rows, column);
        return;
    }
    const cc_jpeg_edge_weights *weights = edge->weights;
    reduce_edge(
        edge, component, coefficients, is_last_column ? weights->across : weights->whole,
        is_last_row ? weights->down : weights->whole, rows, column);
}

// MARK: - Passes

/// Returns the number of samples of a component's side at full size.
static uint32_t sample_count(JDIMENSION side, int factor, int factor_max) {
    return (uint32_t)(((uint64_t)side * (uint64_t)factor + (uint64_t)factor_max - 1) / (uint64_t)factor_max);
}

/// Allocates memory owned by the image and retained between passes.
static void make_room(j_decompress_ptr info, const jpeg_component_info *component, cc_jpeg_edge *edge) {
    j_common_ptr common = (j_common_ptr)info;
    if (edge->side == 1) {
        if (edge->above != NULL) return;
        edge->above = info->mem->alloc_large(common, JPOOL_IMAGE, component->width_in_blocks);
        return;
    }
    if (edge->weights != NULL) return;
    edge->weights = info->mem->alloc_small(common, JPOOL_IMAGE, sizeof(cc_jpeg_edge_weights));
    weigh(edge->weights->whole, edge->side, DCTSIZE);
    weigh(edge->weights->across, edge->side, edge->real_width);
    weigh(edge->weights->down, edge->side, edge->real_height);
}

static void use_edge(j_decompress_ptr info, jpeg_component_info *component, inverse_functions *inverse) {
    cc_jpeg_reader *reader = (cc_jpeg_reader *)info;
    cc_jpeg_edge *edge = edge_of(info, component);
    uint32_t width = sample_count(info->image_width, component->h_samp_factor, info->max_h_samp_factor);
    uint32_t height = sample_count(info->image_height, component->v_samp_factor, info->max_v_samp_factor);
    uint32_t side = side_of(component);
    if ((side != 1 && side != 2 && side != 4) || component->quant_table == NULL) return;
    if (width % DCTSIZE == 0 && height % DCTSIZE == 0) return;
    cc_jpeg_inverse *function = &inverse->functions[component->component_index];
    *edge = (cc_jpeg_edge){
        .inverse = *function,
        .side = side,
        .last_column = (width - 1) / DCTSIZE * side,
        .last_row = (height - 1) / DCTSIZE,
        .real_width = (width - 1) % DCTSIZE + 1,
        .real_height = (height - 1) % DCTSIZE + 1,
        .above = edge->above,
        .weights = edge->weights,
    };
    make_room(info, component, edge);
    if (edge->real_width < DCTSIZE) *function = make_columns;
    if (edge->real_height == DCTSIZE) return;
    // The row above the last may be in the previous group.
    JDIMENSION last_group = edge->last_row / (JDIMENSION)component->v_samp_factor;
    JDIMENSION group = last_group > 0 ? last_group - 1 : 0;
    if (group < reader->last_rows_group) reader->last_rows_group = group;
}

void cc_jpeg_use_edges(j_decompress_ptr info) {
    cc_jpeg_reader *reader = (cc_jpeg_reader *)info;
    reader->last_rows_group = no_group;
    for (int i = 0; i < info->num_components; i++) reader->edges[i].inverse = NULL;
    if (info->scale_num >= info->scale_denom) return;
    inverse_functions *inverse = (inverse_functions *)info->idct;
    for (int i = 0; i < info->num_components; i++) use_edge(info, &info->comp_info[i], inverse);
}

JDIMENSION cc_jpeg_read_scanlines(j_decompress_ptr info, JSAMPARRAY rows, JDIMENSION row_count) {
    cc_jpeg_reader *reader = (cc_jpeg_reader *)info;
    if (info->output_iMCU_row >= reader->last_rows_group) {
        reader->last_rows_group = no_group;
        inverse_functions *inverse = (inverse_functions *)info->idct;
        for (int i = 0; i < info->num_components; i++) {
            const cc_jpeg_edge *edge = &reader->edges[i];
            if (edge->inverse == NULL || edge->real_height == DCTSIZE) continue;
            inverse->functions[i] = make_last_rows;
        }
    }
    return jpeg_read_scanlines(info, rows, row_count);
}
