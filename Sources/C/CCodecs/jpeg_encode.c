#include "cc_internal.h"
#include "cc_jpeg.h"
#include "coded_color.h"
#include "jpeg_failure.h"

#include <stdlib.h>

typedef struct cc_jpeg_writer {
    struct jpeg_compress_struct info;
    cc_jpeg_failure failure;
    struct jpeg_destination_mgr destination;
    /// During encoding, `count` is the capacity.
    cc_output output;
    uint64_t byte_count_max;
    /// The profile of code points, if they are written.
    cc_output coded_profile;
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

/// Writes a segment of an identifier and bytes, unless they are too many for one.
static void write_segment(
    j_compress_ptr info, int marker, const uint8_t *identifier, size_t identifier_count, cc_bytes bytes) {
    enum { byte_count_max = 65533 };
    if (bytes.count == 0 || bytes.count > byte_count_max - identifier_count) return;
    jpeg_write_m_header(info, marker, (unsigned)(identifier_count + bytes.count));
    for (size_t i = 0; i < identifier_count; i++) jpeg_write_m_byte(info, identifier[i]);
    for (size_t i = 0; i < bytes.count; i++) jpeg_write_m_byte(info, bytes.start[i]);
}

/// Writes IPTC's records as a resource of Photoshop, padded to an even size.
static void write_iptc(j_compress_ptr info, cc_bytes iptc) {
    static const uint8_t identifier[] = "Photoshop 3.0\0008BIM\4\4\0";
    enum { byte_count_max = 65533, head_count = sizeof identifier + 4 };
    size_t padding = iptc.count % 2;
    if (iptc.count == 0 || iptc.count > byte_count_max - head_count - 1) return;
    jpeg_write_m_header(info, JPEG_APP0 + 13, (unsigned)(head_count + iptc.count + padding));
    for (size_t i = 0; i < sizeof identifier; i++) jpeg_write_m_byte(info, identifier[i]);
    for (int shift = 24; shift >= 0; shift -= 8) jpeg_write_m_byte(info, (int)(iptc.count >> shift & 0xff));
    for (size_t i = 0; i < iptc.count; i++) jpeg_write_m_byte(info, iptc.start[i]);
    if (padding) jpeg_write_m_byte(info, 0);
}

/// Writes the profile in segments (ICC.1 annex B.4). The internal profile for PQ and HLG maps their range,
/// and must not be written.
static void write_profile(cc_jpeg_writer *writer, const cc_pixels *pixels) {
    cc_bytes profile = pixels->profile;
    int is_high = pixels->transfer == 16 || pixels->transfer == 18;
    if (profile.count == 0 && pixels->primaries > 0 && !is_high) {
        writer->coded_profile = cc_coded_color_profile(pixels->primaries, pixels->transfer);
        profile = (cc_bytes){writer->coded_profile.bytes, writer->coded_profile.count};
    }
    if (profile.count > 0) jpeg_write_icc_profile(&writer->info, profile.start, (unsigned)profile.count);
}

/// EXIF 2.32 section 4.5.4; XMP part 3 section 1.1.3.
static void write_metadata(cc_jpeg_writer *writer, const cc_pixels *pixels) {
    static const uint8_t exif[6] = "Exif\0";
    static const uint8_t xmp[] = "http://ns.adobe.com/xap/1.0/";
    write_segment(&writer->info, JPEG_APP0 + 1, exif, sizeof exif, pixels->exif);
    write_segment(&writer->info, JPEG_APP0 + 1, xmp, sizeof xmp, pixels->xmp);
    write_iptc(&writer->info, pixels->iptc);
    write_profile(writer, pixels);
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
    write_metadata(writer, pixels);
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
    free(writer->coded_profile.bytes);
    free(writer);
    return status;
}
