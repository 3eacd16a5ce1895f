// For `memmem`.
#define _GNU_SOURCE
#include "jpeg_reader.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

typedef enum stage {
    stage_header,
    stage_ready,
    /// One scan: rows are read as they arrive.
    stage_rows,
    /// All rows have been read, but not the end of the image.
    stage_tail,
    /// Several scans: coefficients are read as they arrive.
    stage_scans,
    stage_whole,
} stage;

struct cc_jpeg_incremental {
    /// First, so that libjpeg's pointer to its struct is a pointer to the whole.
    cc_jpeg_reader reader;
    struct jpeg_source_mgr source;
    cc_jpeg_header header;
    stage stage;
    /// The offset of the bytes that libjpeg has consumed, and the number of following bytes to skip.
    size_t offset;
    size_t skip_count;
    /// The offset of the first scan.
    size_t scan_offset;
    int is_end;
    int has_several_scans;
    /// The rows of an image of one scan.
    cc_rows rows;
    uint32_t row_count;
};

// MARK: - Source

/// Does nothing: the source is set before each call.
static void ignore(j_decompress_ptr info) {
    (void)info;
}

/// Suspends libjpeg until more bytes have arrived; after the last it gets an end marker.
static boolean stop(j_decompress_ptr info) {
    static const JOCTET end[] = {0xff, JPEG_EOI};
    cc_jpeg_incremental *image = (cc_jpeg_incremental *)info;
    if (!image->is_end) return FALSE;
    WARNMS(info, JWRN_JPEG_EOF);
    image->source.next_input_byte = end;
    image->source.bytes_in_buffer = sizeof end;
    image->skip_count = 0;
    return TRUE;
}

static void skip(j_decompress_ptr info, long byte_count) {
    cc_jpeg_incremental *image = (cc_jpeg_incremental *)info;
    if (byte_count <= 0) return;
    size_t wanted = (size_t)byte_count, there = image->source.bytes_in_buffer;
    size_t step = wanted < there ? wanted : there;
    image->source.next_input_byte += step;
    image->source.bytes_in_buffer -= step;
    image->skip_count += wanted - step;
}

static void set_source(cc_jpeg_incremental *image, cc_bytes file) {
    size_t there = file.count - image->offset;
    size_t step = image->skip_count < there ? image->skip_count : there;
    image->skip_count -= step;
    image->source.next_input_byte = file.start + image->offset + step;
    image->source.bytes_in_buffer = there - step;
}

// MARK: - Steps

static void read_header(cc_jpeg_incremental *image) {
    if (jpeg_read_header(&image->reader.info, TRUE) == JPEG_SUSPENDED) return;
    cc_jpeg_describe(&image->reader, &image->header);
    image->stage = stage_ready;
}

static void read_rows(cc_jpeg_incremental *image) {
    cc_jpeg_read_rows(&image->reader, image->rows);
    image->row_count = image->reader.info.output_scanline;
    if (image->row_count == image->rows.row_count) image->stage = stage_tail;
}

static void read_tail(cc_jpeg_incremental *image) {
    if (jpeg_finish_decompress(&image->reader.info)) image->stage = stage_whole;
}

static void read_scans(cc_jpeg_incremental *image) {
    j_decompress_ptr info = &image->reader.info;
    int outcome;
    do {
        outcome = jpeg_consume_input(info);
        cc_jpeg_check_scans((j_common_ptr)info);
    } while (outcome != JPEG_SUSPENDED && outcome != JPEG_REACHED_EOI);
    if (outcome != JPEG_REACHED_EOI) return;
    cc_jpeg_check_components(info);
    cc_jpeg_check_scans_complete(info);
    image->stage = stage_whole;
}

static void advance(cc_jpeg_incremental *image) {
    if (image->stage == stage_header) read_header(image);
    if (image->stage == stage_rows) read_rows(image);
    if (image->stage == stage_tail) read_tail(image);
    if (image->stage == stage_scans) read_scans(image);
}

cc_status cc_jpeg_incremental_advance(
    cc_jpeg_incremental *image, cc_bytes file, int32_t is_end, cc_message *message) {
    image->reader.failure.message = message;
    image->is_end = is_end;
    set_source(image, file);
    if (setjmp(image->reader.failure.exit)) return image->reader.failure.status;
    // libjpeg searches the bytes itself, unless all available ones are to be skipped.
    if (image->skip_count == 0 || is_end) advance(image);
    int is_past_end = image->reader.failure.lacks_end;
    image->offset = is_past_end ? file.count : file.count - image->source.bytes_in_buffer;
    if (image->stage == stage_ready) image->scan_offset = image->offset;
    return cc_status_ok;
}

// MARK: - Start

cc_status cc_jpeg_incremental_open(cc_jpeg_incremental **result, cc_message *message) {
    *result = NULL;
    cc_jpeg_incremental *image = calloc(1, sizeof *image);
    if (image == NULL) return cc_status_out_of_memory;
    j_decompress_ptr info = &image->reader.info;
    info->err = cc_jpeg_failure_start(&image->reader.failure, message);
    if (setjmp(image->reader.failure.exit)) {
        cc_status status = image->reader.failure.status;
        cc_jpeg_incremental_close(image);
        return status;
    }
    jpeg_create_decompress(info);
    image->source.init_source = ignore;
    image->source.fill_input_buffer = stop;
    image->source.skip_input_data = skip;
    image->source.resync_to_restart = jpeg_resync_to_restart;
    image->source.term_source = ignore;
    info->src = &image->source;
    cc_jpeg_save_segments(info);
    *result = image;
    return cc_status_ok;
}

static void start(cc_jpeg_incremental *image, const cc_jpeg_decoding *decoding) {
    j_decompress_ptr info = &image->reader.info;
    cc_jpeg_configure(&image->reader, decoding);
    cc_jpeg_take_missing_end(info);
    image->has_several_scans = jpeg_has_multiple_scans(info);
    info->buffered_image = image->has_several_scans;
    jpeg_start_decompress(info);
    image->rows.row_byte_count = (size_t)info->output_width * image->header.bytes_per_pixel;
    image->rows.row_count = info->output_height;
    cc_jpeg_check_room(info, image->rows);
    if (!image->has_several_scans) cc_jpeg_use_edges(info);
    image->stage = image->has_several_scans ? stage_scans : stage_rows;
    if (image->has_several_scans) return;
    image->rows.bytes = calloc(image->rows.row_count, image->rows.row_byte_count);
    if (image->rows.bytes == NULL) {
        cc_jpeg_fail((j_common_ptr)info, cc_status_out_of_memory, "not enough memory for the rows");
    }
}

cc_status cc_jpeg_incremental_start(
    cc_jpeg_incremental *image, const cc_jpeg_decoding *decoding, cc_message *message) {
    image->reader.failure.message = message;
    if (setjmp(image->reader.failure.exit)) return image->reader.failure.status;
    start(image, decoding);
    return cc_status_ok;
}

// MARK: - Result

/// Returns the number of complete scans: the next has started, or the image has ended.
static int whole_scan_count(const cc_jpeg_incremental *image) {
    int current = image->reader.info.input_scan_number;
    return image->stage == stage_whole ? current : current - 1;
}

cc_jpeg_progress cc_jpeg_incremental_progress(const cc_jpeg_incremental *image) {
    cc_jpeg_progress progress = {
        .has_header = image->stage != stage_header,
        .can_stop = !image->reader.info.arith_code,
        .is_whole = image->stage == stage_whole,
        .lacks_end = image->reader.failure.lacks_end,
        .row_count = image->row_count,
        .step = image->row_count,
    };
    if (image->has_several_scans && whole_scan_count(image) > 0) {
        const struct jpeg_decompress_struct *info = &image->reader.info;
        progress.row_count = image->rows.row_count;
        progress.step = (uint64_t)info->input_scan_number << 32 | info->input_iMCU_row;
        if (progress.is_whole) progress.step++;
    }
    return progress;
}

const cc_jpeg_header *cc_jpeg_incremental_header(const cc_jpeg_incremental *image) {
    return &image->header;
}

/// Computes rows from the coefficients: the given scan is complete, so libjpeg needs no bytes.
static void output_scans(cc_jpeg_incremental *image, cc_rows rows) {
    j_decompress_ptr info = &image->reader.info;
    jpeg_start_output(info, whole_scan_count(image));
    cc_jpeg_check_room(info, rows);
    cc_jpeg_use_edges(info);
    cc_jpeg_read_rows(&image->reader, rows);
    if (info->output_scanline < info->output_height || !jpeg_finish_output(info)) {
        cc_jpeg_fail((j_common_ptr)info, cc_status_failure, "the received scans do not form an image");
    }
}

cc_status cc_jpeg_incremental_copy(cc_jpeg_incremental *image, cc_rows rows, cc_message *message) {
    image->reader.failure.message = message;
    if (setjmp(image->reader.failure.exit)) return image->reader.failure.status;
    if (image->has_several_scans) {
        output_scans(image, rows);
    } else if (rows.row_byte_count == image->rows.row_byte_count && rows.row_count == image->rows.row_count) {
        memcpy(rows.bytes, image->rows.bytes, rows.row_byte_count * rows.row_count);
    } else {
        return cc_status_failure;
    }
    return cc_status_ok;
}

int32_t cc_jpeg_incremental_has_fill(const cc_jpeg_incremental *image, cc_bytes file) {
    static const uint8_t fill[] = {0xff, 0xff, 0};
    const uint8_t *scans = file.start + image->scan_offset;
    return memmem(scans, file.count - image->scan_offset, fill, sizeof fill) != NULL;
}

void cc_jpeg_incremental_close(cc_jpeg_incremental *image) {
    if (image == NULL) return;
    jpeg_destroy_decompress(&image->reader.info);
    free(image->reader.profile);
    free(image->rows.bytes);
    free(image);
}
