#ifndef CC_JPEG_READER_H
#define CC_JPEG_READER_H

#include "cc_jpeg.h"
#include "jpeg_edges.h"
#include "jpeg_failure.h"

/// libjpeg's struct for one image, and what goes with it.
struct cc_jpeg_reader {
    /// First, so that libjpeg's pointer to it is a pointer to the whole.
    struct jpeg_decompress_struct info;
    cc_jpeg_failure failure;
    struct jpeg_progress_mgr progress;
    uint64_t scan_pixel_max;
    const cc_color_transform *color;
    /// A row of CMYK on its way to RGB; NULL until one is needed.
    JSAMPARRAY ink;
    /// From `jpeg_read_icc_profile`, which allocates it with `malloc`.
    JOCTET *profile;
    /// By the index of the component.
    cc_jpeg_edge edges[MAX_COMPONENTS];
    /// The first group of rows of blocks in which the lower edge counts, until it is reached.
    JDIMENSION last_rows_group;
};

/// Has the segments kept that a header is made of; the source must be set.
void cc_jpeg_save_segments(j_decompress_ptr info);

/// Fills in the header once libjpeg has read it.
void cc_jpeg_describe(cc_jpeg_reader *reader, cc_jpeg_header *header);

/// Sets limits, size and channels of the decode, to be started by the caller.
void cc_jpeg_configure(cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding);

/// Leaves where scans times pixels are beyond the limit.
void cc_jpeg_check_scans(j_common_ptr common);

/// Lets the end of the bytes pass for the end of the image where all of its pixels have come; called before
/// they are decoded.
void cc_jpeg_take_missing_end(j_decompress_ptr info);

/// Leaves where the end is missing, and coefficients have not come in full.
void cc_jpeg_check_scans_complete(j_decompress_ptr info);

/// Leaves where a component has no scan, once all scans have been read.
void cc_jpeg_check_components(j_decompress_ptr info);

/// Leaves unless the rows have exactly the length and number of those that the library will write; called
/// once it has been started.
void cc_jpeg_check_room(j_decompress_ptr info, cc_rows rows);

/// Reads the rows that are left, or as many of them as the source has bytes for.
void cc_jpeg_read_rows(cc_jpeg_reader *reader, cc_rows target);

#endif
