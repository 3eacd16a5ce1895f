#include "cc_internal.h"
#include "cc_jpeg.h"
#include "jpeg_failure.h"

#include <stdlib.h>

typedef struct cc_jpeg_writer {
    struct jpeg_compress_struct info;
    cc_jpeg_failure failure;
    struct jpeg_destination_mgr destination;
    /// During encoding, `count` is the capacity.
    cc_output output;
    uint64_t byte_count_max;
} cc_jpeg_writer;

// MARK: - Destination

/// libjpeg calls this when the whole buffer is used.
static boolean grow(j_compress_ptr info) {
    cc_jpeg_writer *writer = (cc_jpeg_writer *)info;
    size_t used = writer->output.count;
    cc_status status = cc_output_grow(&writer->output, used, writer->byte_count_max);
    if (status != cc_status_ok) cc_jpeg_fail((j_common_ptr)info, status, "the result grows too large");
    writer->destination.next_output_byte = writer->output.bytes + used;
    writer->destination.free_in_buffer = writer->output.count - used;
    return TRUE;
}

static void begin(j_compress_ptr info) {
    grow(info);
}

static void end(j_compress_ptr info) {
    cc_jpeg_writer *writer = (cc_jpeg_writer *)info;
    writer->output.count -= writer->destination.free_in_buffer;
    if (writer->output.count > writer->byte_count_max) {
        cc_jpeg_fail((j_common_ptr)info, cc_status_limit_exceeded, "the result is too large");
    }
}

// MARK: - Image

static void set_parameters(j_compress_ptr info, const cc_pixels *pixels, const cc_jpeg_encoding *encoding) {
    int is_gray = pixels->bytes_per_pixel == 1;
    info->image_width = pixels->width;
    info->image_height = pixels->height;
    info->input_components = is_gray ? 1 : 3;
    info->in_color_space = is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, encoding->quality, TRUE);
    if (!is_gray) {
        info->comp_info[0].h_samp_factor = encoding->chroma_across;
        info->comp_info[0].v_samp_factor = encoding->chroma_down;
    }
    if (encoding->is_progressive) jpeg_simple_progression(info);
}

static void flatten(const uint8_t *rgba, uint8_t *rgb, uint32_t pixel_count, const uint8_t background[3]) {
    for (uint32_t i = 0; i < pixel_count; i++, rgba += 4, rgb += 3) {
        uint32_t alpha = rgba[3];
        for (int channel = 0; channel < 3; channel++) {
            uint32_t sum = rgba[channel] * alpha + background[channel] * (255 - alpha);
            rgb[channel] = (uint8_t)((sum + 127) / 255);
        }
    }
}

static void write_rows(j_compress_ptr info, const cc_pixels *pixels, const uint8_t background[3]) {
    size_t row_byte_count = (size_t)pixels->width * pixels->bytes_per_pixel;
    JSAMPARRAY flat = NULL;
    if (pixels->bytes_per_pixel == 4) {
        flat = info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE, pixels->width * 3, 1);
    }
    while (info->next_scanline < info->image_height) {
        const uint8_t *row = pixels->bytes + info->next_scanline * row_byte_count;
        // The library only reads the rows; its interface is older than `const`.
        JSAMPROW source = (JSAMPROW)row;
        if (flat != NULL) {
            flatten(row, flat[0], pixels->width, background);
            source = flat[0];
        }
        jpeg_write_scanlines(info, &source, 1);
    }
}

/// EXIF 2.32 section 4.5.4; a segment holds at most 64 KB.
static void write_exif(j_compress_ptr info, cc_bytes exif) {
    static const uint8_t identifier[6] = "Exif\0";
    if (exif.count == 0) return;
    jpeg_write_m_header(info, JPEG_APP0 + 1, (unsigned)(sizeof identifier + exif.count));
    for (size_t i = 0; i < sizeof identifier; i++) jpeg_write_m_byte(info, identifier[i]);
    for (size_t i = 0; i < exif.count; i++) jpeg_write_m_byte(info, exif.start[i]);
}

static void write_image(cc_jpeg_writer *writer, const cc_pixels *pixels, const cc_jpeg_encoding *encoding) {
    j_compress_ptr info = &writer->info;
    jpeg_create_compress(info);
    writer->destination.init_destination = begin;
    writer->destination.empty_output_buffer = grow;
    writer->destination.term_destination = end;
    info->dest = &writer->destination;
    set_parameters(info, pixels, encoding);
    jpeg_start_compress(info, TRUE);
    write_exif(info, pixels->exif);
    write_rows(info, pixels, encoding->background);
    jpeg_finish_compress(info);
}

cc_status cc_jpeg_encode(
    const cc_pixels *pixels, const cc_jpeg_encoding *encoding, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    cc_jpeg_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->byte_count_max = encoding->byte_count_max;
    writer->info.err = cc_jpeg_failure_start(&writer->failure, message);
    if (setjmp(writer->failure.exit) == 0) {
        write_image(writer, pixels, encoding);
        *output = writer->output;
    } else {
        free(writer->output.bytes);
    }
    cc_status status = writer->failure.status;
    jpeg_destroy_compress(&writer->info);
    free(writer);
    return status;
}
