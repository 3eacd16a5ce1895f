#ifndef CC_JPEG_EDGES_H
#define CC_JPEG_EDGES_H

#include <stdint.h>
#include <stdio.h>
#include <jpeglib.h>

/// Computes the samples of a block of coefficients; libjpeg's `inverse_DCT_method_ptr`.
typedef void (*cc_jpeg_inverse)(
    j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients, JSAMPARRAY rows,
    JDIMENSION column);

enum {
    /// The maximum samples of a block's side whose edge is computed here.
    cc_jpeg_edge_side_max = 4
};

/// The weights of the eight coefficients for each sample of a side.
typedef float cc_jpeg_weights[cc_jpeg_edge_side_max][DCTSIZE];

/// The weights for a side completely within the image, and for those beyond the right and lower edge.
typedef struct cc_jpeg_edge_weights {
    cc_jpeg_weights whole;
    cc_jpeg_weights across;
    cc_jpeg_weights down;
} cc_jpeg_edge_weights;

/// The last blocks of a component, horizontally and vertically, in a decode at a fraction of the size.
typedef struct cc_jpeg_edge {
    /// The library's function for all other blocks; NULL if no block extends beyond an edge.
    cc_jpeg_inverse inverse;
    /// The sample column and the block row of the last blocks.
    JDIMENSION last_column;
    JDIMENSION last_row;
    /// The number of samples that a block results in, horizontally and vertically: 1, 2 or 4.
    uint32_t side;
    /// The number of samples of the last blocks within the image, 1...8; the others are filled by the
    /// encoder.
    uint32_t real_width;
    uint32_t real_height;
    /// The group of block rows being decoded, and the position of the first samples.
    JDIMENSION group;
    JSAMPARRAY first;
    /// The samples above the last row, if a block results in one sample.
    JSAMPROW above;
    /// Computed once, if a block results in several samples.
    cc_jpeg_edge_weights *weights;
} cc_jpeg_edge;

/// Makes samples beyond the edge of the image repeat the last ones within, before the library averages them
/// into samples that extend beyond the edge. If a block results in one sample, the library decodes only its
/// mean: then a sample beyond the edge repeats its neighbour.
///
/// Encoders fill the last blocks arbitrarily: Samsung's cameras with black. Called after each
/// `jpeg_start_decompress` or `jpeg_start_output`; no effect at full size, or if no block extends beyond the
/// edge.
void cc_jpeg_use_edges(j_decompress_ptr info);

/// Like `jpeg_read_scanlines`, which decodes at most one group of block rows.
///
/// Only the last groups have blocks beyond the lower edge: blocks of other groups are left to the library,
/// unless they extend beyond the right edge.
JDIMENSION cc_jpeg_read_scanlines(j_decompress_ptr info, JSAMPARRAY rows, JDIMENSION row_count);

#endif
