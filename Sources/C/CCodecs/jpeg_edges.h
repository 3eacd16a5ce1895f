#ifndef CC_JPEG_EDGES_H
#define CC_JPEG_EDGES_H

#include <stdint.h>
#include <stdio.h>
#include <jpeglib.h>

/// Makes samples of a block of coefficients; libjpeg's `inverse_DCT_method_ptr`.
typedef void (*cc_jpeg_inverse)(
    j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR coefficients, JSAMPARRAY rows,
    JDIMENSION column);

enum {
    /// The most samples of a side of a block whose edge is made here.
    cc_jpeg_edge_side_max = 4
};

/// For each sample of a side, the weights of the eight coefficients.
typedef float cc_jpeg_weights[cc_jpeg_edge_side_max][DCTSIZE];

/// Weights for a side of which each sample is one of the image, and for those over the right and lower edge.
typedef struct cc_jpeg_edge_weights {
    cc_jpeg_weights whole;
    cc_jpeg_weights across;
    cc_jpeg_weights down;
} cc_jpeg_edge_weights;

/// The last blocks of a component, across and down, in a decode at a fraction of the size.
typedef struct cc_jpeg_edge {
    /// The library's function for all other blocks; NULL where no block stands over an edge.
    cc_jpeg_inverse inverse;
    /// The column of samples and the row of blocks of the last ones.
    JDIMENSION last_column;
    JDIMENSION last_row;
    /// Samples that a block becomes, across and down: 1, 2 or 4.
    uint32_t side;
    /// Samples of the last blocks that are those of the image, 1...8; the encoder has made up the others.
    uint32_t real_width;
    uint32_t real_height;
    /// The rows of blocks that are being decoded, and where the samples of the first of them go.
    JDIMENSION group;
    JSAMPARRAY first;
    /// The samples above the last row, where a block becomes one sample.
    JSAMPROW above;
    /// Made once, where a block becomes several samples.
    cc_jpeg_edge_weights *weights;
} cc_jpeg_edge;

/// Has samples beyond the edge of the image take the value of the last ones within, before the library
/// averages them into samples that stand over the edge. Where a block becomes one sample, the library decodes
/// no more than its mean: there a sample over the edge takes the value of the one beside it.
///
/// Encoders fill the last blocks with anything: Samsung's cameras with black. Called after each
/// `jpeg_start_decompress` or `jpeg_start_output`; does nothing where the size is whole, or no block stands
/// over the edge.
void cc_jpeg_use_edges(j_decompress_ptr info);

/// As `jpeg_read_scanlines`, which makes samples of one group of rows of blocks at most.
///
/// Only the last groups have blocks over the lower edge: blocks of the others are left to the library, unless
/// they stand over the right one.
JDIMENSION cc_jpeg_read_scanlines(j_decompress_ptr info, JSAMPARRAY rows, JDIMENSION row_count);

#endif
