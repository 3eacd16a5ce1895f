#ifndef CC_JPEG_READER_H
#define CC_JPEG_READER_H

#include "cc_jpeg.h"
#include "jpeg_edges.h"
#include "jpeg_failure.h"

/// libjpeg's struct for one image, and related state.
struct cc_jpeg_reader {
    /// First, so that libjpeg's pointer to it is a pointer to the whole.
    struct jpeg_decompress_struct info;
    cc_jpeg_failure failure;
    struct jpeg_progress_mgr progress;
    uint64_t scan_pixel_max;
    const cc_color_transform *color;
    /// A row of CMYK before conversion to RGB; NULL until one is needed.
    JSAMPARRAY ink;
    /// From `jpeg_read_icc_profile`, which allocates it with `malloc`.
    JOCTET *profile;
    /// Indexed by component.
    cc_jpeg_edge edges[MAX_COMPONENTS];
    /// The first group of block rows affected by the lower edge, until it is reached.
    JDIMENSION last_rows_group;
};

/// Makes libjpeg store the segments of the header; the source must be set.
void cc_jpeg_save_segments(j_decompress_ptr info);

/// Fills in the header once libjpeg has read it.
void cc_jpeg_describe(cc_jpeg_reader *reader, cc_jpeg_header *header);

/// Sets limits, size and channels of the decode, which the caller starts.
void cc_jpeg_configure(cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding);

/// Exits if scans × pixels exceed the limit.
void cc_jpeg_check_scans(j_common_ptr common);

/// Accepts the end of the bytes as the end of the image if all of its pixels have arrived; called before they
/// are decoded.
void cc_jpeg_take_missing_end(j_decompress_ptr info);

/// Exits if the end is missing, and coefficients are incomplete.
void cc_jpeg_check_scans_complete(j_decompress_ptr info);

/// Exits if a component has no scan, once all scans have been read.
void cc_jpeg_check_components(j_decompress_ptr info);

/// Exits unless the rows have exactly the length and number of the library's output; called after the start.
void cc_jpeg_check_room(j_decompress_ptr info, cc_rows rows);

/// Reads the remaining rows, or as many of them as the source has bytes for.
void cc_jpeg_read_rows(cc_jpeg_reader *reader, cc_rows target);

#endif
