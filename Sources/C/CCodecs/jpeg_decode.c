#include "cc_internal.h"
#include "jpeg_reader.h"

#include <stdlib.h>
#include <string.h>

const uint32_t cc_jpeg_side_max = JPEG_MAX_DIMENSION;

/// The number of rows per call: more than the library returns in one step with any sampling.
enum { row_count_max = 32 };

// MARK: - Header

static cc_channels channels_of(j_decompress_ptr info) {
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: return cc_channels_gray;
    case JCS_YCbCr:
    case JCS_RGB: return cc_channels_rgb;
    // Adobe inverts inks; browsers and other readers assume that for files without its marker too.
    case JCS_CMYK:
    case JCS_YCCK: return cc_channels_cmyk_inverted;
    default: cc_jpeg_fail((j_common_ptr)info, cc_status_unsupported, "unknown colour channels");
    }
}

static void find_exif(j_decompress_ptr info, cc_jpeg_header *header) {
    static const char identifier[6] = "Exif\0";
    for (jpeg_saved_marker_ptr marker = info->marker_list; marker != NULL; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + 1 || marker->data_length <= sizeof identifier) continue;
        if (memcmp(marker->data, identifier, sizeof identifier) != 0) continue;
        header->exif = (cc_bytes){marker->data + sizeof identifier, marker->data_length - sizeof identifier};
        return;
    }
}

void cc_jpeg_save_segments(j_decompress_ptr info) {
    jpeg_save_markers(info, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(info, JPEG_APP0 + 2, 0xffff);
}

void cc_jpeg_describe(cc_jpeg_reader *reader, cc_jpeg_header *header) {
    j_decompress_ptr info = &reader->info;
    *header = (cc_jpeg_header){.width = info->image_width, .height = info->image_height};
    header->channels = channels_of(info);
    header->bytes_per_pixel = header->channels == cc_channels_gray ? 1 : 3;
    find_exif(info, header);
    unsigned int profile_byte_count = 0;
    if (jpeg_read_icc_profile(info, &reader->profile, &profile_byte_count)) {
        header->profile = (cc_bytes){reader->profile, profile_byte_count};
    }
}

cc_status cc_jpeg_open(cc_bytes file, cc_jpeg_reader **result, cc_jpeg_header *header, cc_message *message) {
    *result = NULL;
    cc_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return cc_status_out_of_memory;
    reader->info.err = cc_jpeg_failure_start(&reader->failure, message);
    if (setjmp(reader->failure.exit)) {
        cc_status status = reader->failure.status;
        cc_jpeg_close(reader);
        return status;
    }
    jpeg_create_decompress(&reader->info);
    jpeg_mem_src(&reader->info, file.start, file.count);
    cc_jpeg_save_segments(&reader->info);
    jpeg_read_header(&reader->info, TRUE);
    cc_jpeg_describe(reader, header);
    *result = reader;
    return cc_status_ok;
}

void cc_jpeg_close(cc_jpeg_reader *reader) {
    if (reader == NULL) return;
    jpeg_destroy_decompress(&reader->info);
    free(reader->profile);
    free(reader);
}

// MARK: - Limits

static void check_stop(j_common_ptr common) {
    if (cc_is_stopped()) cc_jpeg_fail(common, cc_status_stopped, "");
}

/// Called between the steps of reading a file of several scans, and of decoding rows.
void cc_jpeg_check_scans(j_common_ptr common) {
    check_stop(common);
    j_decompress_ptr info = (j_decompress_ptr)common;
    cc_jpeg_reader *reader = (cc_jpeg_reader *)common;
    uint64_t pixel_count = (uint64_t)info->image_width * info->image_height;
    if (pixel_count * (uint64_t)info->input_scan_number > reader->scan_pixel_max) {
        cc_jpeg_fail(common, cc_status_limit_exceeded, "scans times pixels are beyond the limit");
    }
}

/// Counts the scans of a complete file before anything is allocated for them.
///
/// FF DA between segments starts a scan; it does not occur within the data of a scan. It may occur by chance
/// in a table between two scans, which only matters for a file near the limit.
static void count_scans_ahead(cc_jpeg_reader *reader) {
    j_decompress_ptr info = &reader->info;
    if (!jpeg_has_multiple_scans(info)) return;
    uint64_t scan_max = reader->scan_pixel_max / ((uint64_t)info->image_width * info->image_height);
    const uint8_t *rest = info->src->next_input_byte;
    const uint8_t *end = rest + info->src->bytes_in_buffer;
    // The header has been read up to the first scan.
    uint64_t scan_count = 1;
    while (scan_count <= scan_max && end - rest >= 2) {
        rest = memchr(rest, 0xff, (size_t)(end - rest) - 1);
        if (rest == NULL) return;
        scan_count += rest[1] == 0xda;
        rest++;
    }
    if (scan_count > scan_max) {
        cc_jpeg_fail((j_common_ptr)info, cc_status_limit_exceeded, "scans times pixels are beyond the limit");
    }
}

/// Limits the memory of the library: the coefficients of a progressive image (8 bytes a pixel for four
/// components without subsampling), rows, tables, and blocks that extend beyond the edge.
static void bound_memory(j_decompress_ptr info) {
    uint64_t pixel_count = (uint64_t)info->image_width * info->image_height;
    info->mem->max_memory_to_use = (long)((64 << 20) + 8 * pixel_count);
}

static uint64_t block_count(JDIMENSION side, int factor, int factor_max) {
    uint64_t unit = 8 * (uint64_t)factor_max;
    return ((uint64_t)side * (uint64_t)factor + unit - 1) / unit;
}

/// Rejects a file of several scans whose coefficients take too much memory: the library stores them all, even
/// for a small result.
static void bound_coefficients(j_decompress_ptr info, uint64_t byte_max) {
    uint64_t count = 0;
    for (int i = 0; i < info->num_components; i++) {
        const jpeg_component_info *component = &info->comp_info[i];
        count += block_count(info->image_width, component->h_samp_factor, info->max_h_samp_factor)
            * block_count(info->image_height, component->v_samp_factor, info->max_v_samp_factor);
    }
    if (count * sizeof(JBLOCK) > byte_max) {
        cc_jpeg_fail(
            (j_common_ptr)info, cc_status_limit_exceeded, "the coefficients take more memory than the limit");
    }
}

// MARK: - Pixels

void cc_jpeg_configure(cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding) {
    j_decompress_ptr info = &reader->info;
    bound_memory(info);
    if (jpeg_has_multiple_scans(info)) bound_coefficients(info, decoding->coefficient_byte_max);
    reader->scan_pixel_max = decoding->scan_pixel_max;
    reader->color = decoding->color;
    reader->progress.progress_monitor = cc_jpeg_check_scans;
    info->progress = jpeg_has_multiple_scans(info) ? &reader->progress : NULL;
    info->scale_num = decoding->eighths;
    info->scale_denom = 8;
    switch (channels_of(info)) {
    case cc_channels_gray: info->out_color_space = JCS_GRAYSCALE; break;
    case cc_channels_cmyk_inverted: info->out_color_space = JCS_CMYK; break;
    default: info->out_color_space = JCS_RGB; break;
    }
}

/// Rejects a component without a scan, which the library would silently decode as flat gray.
void cc_jpeg_check_components(j_decompress_ptr info) {
    for (int i = 0; i < info->num_components; i++) {
        if (info->comp_info[i].quant_table == NULL) {
            cc_jpeg_fail((j_common_ptr)info, cc_status_corrupt, "a component has no scan");
        }
    }
}

void cc_jpeg_take_missing_end(j_decompress_ptr info) {
    // With arithmetic coding nothing marks the end of a scan: data that was cut off seems to need no bits.
    ((cc_jpeg_reader *)info)->failure.takes_missing_end = !info->arith_code;
}

void cc_jpeg_check_scans_complete(j_decompress_ptr info) {
    const cc_jpeg_reader *reader = (cc_jpeg_reader *)info;
    if (!reader->failure.lacks_end || !info->progressive_mode || info->coef_bits == NULL) return;
    for (int i = 0; i < info->num_components; i++) {
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[i][k] == 0) continue;
            cc_jpeg_fail((j_common_ptr)info, cc_status_truncated, "the file ends before its last scan");
        }
    }
}

int32_t cc_jpeg_lacks_end(const cc_jpeg_reader *reader) {
    return reader->failure.lacks_end;
}

static uint8_t product(uint32_t left, uint32_t right) {
    return (uint8_t)((left * right + 127) / 255);
}

/// 255 means no ink.
static void convert_cmyk(const uint8_t *ink, uint8_t *rgb, uint32_t pixel_count) {
    for (uint32_t i = 0; i < pixel_count; i++, ink += 4, rgb += 3) {
        for (int channel = 0; channel < 3; channel++) rgb[channel] = product(ink[channel], ink[3]);
    }
}

static void read_cmyk(cc_jpeg_reader *reader, cc_rows target) {
    j_decompress_ptr info = &reader->info;
    if (reader->ink == NULL) {
        j_common_ptr common = (j_common_ptr)info;
        reader->ink = info->mem->alloc_sarray(common, JPOOL_IMAGE, info->output_width * 4, 1);
    }
    while (info->output_scanline < info->output_height) {
        uint8_t *row = target.bytes + info->output_scanline * target.row_byte_count;
        check_stop((j_common_ptr)info);
        if (cc_jpeg_read_scanlines(info, reader->ink, 1) == 0) return;
        if (reader->color == NULL) {
            convert_cmyk(reader->ink[0], row, info->output_width);
        } else {
            cc_color_apply(reader->color, reader->ink[0], row, info->output_width);
        }
    }
}

static void read_rgb(cc_jpeg_reader *reader, cc_rows target) {
    j_decompress_ptr info = &reader->info;
    while (info->output_scanline < info->output_height) {
        JSAMPROW rows[row_count_max];
        JDIMENSION wanted = info->output_height - info->output_scanline;
        if (wanted > row_count_max) wanted = row_count_max;
        for (JDIMENSION i = 0; i < wanted; i++) {
            rows[i] = target.bytes + (info->output_scanline + i) * target.row_byte_count;
        }
        check_stop((j_common_ptr)info);
        JDIMENSION read = cc_jpeg_read_scanlines(info, rows, wanted);
        if (read == 0) return;
        for (JDIMENSION i = 0; reader->color != NULL && i < read; i++) {
            cc_color_apply(reader->color, rows[i], rows[i], info->output_width);
        }
    }
}

void cc_jpeg_read_rows(cc_jpeg_reader *reader, cc_rows target) {
    (reader->info.out_color_space == JCS_CMYK ? read_cmyk : read_rgb)(reader, target);
}

void cc_jpeg_check_room(j_decompress_ptr info, cc_rows rows) {
    // Inks are read into a row of their own, and converted to RGB while copying.
    int is_ink = info->out_color_space == JCS_CMYK;
    size_t bytes_per_pixel = is_ink ? 3 : (size_t)info->output_components;
    if ((is_ink && info->output_components != 4) || info->out_color_components != info->output_components
        || info->output_width * bytes_per_pixel != rows.row_byte_count
        || info->output_height != rows.row_count) {
        cc_jpeg_fail((j_common_ptr)info, cc_status_failure, "the buffer size does not match the image");
    }
}

cc_status cc_jpeg_decode(
    cc_jpeg_reader *reader, const cc_jpeg_decoding *decoding, cc_rows rows, cc_message *message) {
    j_decompress_ptr info = &reader->info;
    reader->failure.message = message;
    if (setjmp(reader->failure.exit)) return reader->failure.status;
    cc_jpeg_configure(reader, decoding);
    count_scans_ahead(reader);
    cc_jpeg_take_missing_end(info);
    jpeg_start_decompress(info);
    cc_jpeg_check_components(info);
    cc_jpeg_check_scans_complete(info);
    cc_jpeg_check_room(info, rows);
    cc_jpeg_use_edges(info);
    cc_jpeg_read_rows(reader, rows);
    jpeg_finish_decompress(info);
    return cc_status_ok;
}
