#ifdef CALOTYPE_GIF

#include "cc_gif.h"
#include "cc_internal.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

struct cc_gif_writer {
    GifFileType *gif;
    /// During encoding, `count` is the capacity.
    cc_output output;
    size_t used;
    uint64_t byte_count_max;
    /// The failure that stopped the output, if any.
    cc_status status;
};

// MARK: - Output

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int wanted) {
    cc_gif_writer *writer = gif->UserData;
    size_t byte_count = wanted < 0 ? 0 : (size_t)wanted;
    while (writer->status == cc_status_ok && writer->output.count - writer->used < byte_count) {
        writer->status = cc_output_grow(&writer->output, writer->output.count, writer->byte_count_max);
    }
    if (writer->status == cc_status_ok && writer->used + byte_count > writer->byte_count_max) {
        writer->status = cc_status_limit_exceeded;
    }
    if (writer->status != cc_status_ok) return 0;
    memcpy(writer->output.bytes + writer->used, bytes, byte_count);
    writer->used += byte_count;
    return wanted;
}

static cc_status failure(const cc_gif_writer *writer, int code, cc_message *message) {
    if (writer->status == cc_status_limit_exceeded) {
        cc_write_message(message, "the result is too large");
    } else {
        const char *text = GifErrorString(code);
        cc_write_message(message, "%s", text == NULL ? "failure of giflib" : text);
    }
    if (writer->status != cc_status_ok) return writer->status;
    return code == E_GIF_ERR_NOT_ENOUGH_MEM ? cc_status_out_of_memory : cc_status_failure;
}

// MARK: - Header

/// Writes the application extension of browsers, where 0 means forever.
static int write_loop_count(GifFileType *gif, int32_t loop_count) {
    if (loop_count < 0) return GIF_OK;
    const uint8_t body[] = {1, (uint8_t)loop_count, (uint8_t)(loop_count >> 8)};
    if (EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_ERROR) return GIF_ERROR;
    if (EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_ERROR) return GIF_ERROR;
    if (EGifPutExtensionBlock(gif, sizeof body, body) == GIF_ERROR) return GIF_ERROR;
    return EGifPutExtensionTrailer(gif);
}

/// Creates a colour table padded to a power of two; NULL without colours.
static cc_status make_palette(cc_bytes palette, ColorMapObject **map) {
    *map = NULL;
    int color_count = (int)(palette.count / 3);
    if (color_count == 0) return cc_status_ok;
    int bits = GifBitSize(color_count);
    *map = GifMakeMapObject(1 << (bits < 1 ? 1 : bits), NULL);
    if (*map == NULL) return cc_status_out_of_memory;
    for (int i = 0; i < color_count; i++) {
        const uint8_t *color = palette.start + i * 3;
        (*map)->Colors[i] = (GifColorType){color[0], color[1], color[2]};
    }
    return cc_status_ok;
}

static cc_status write_header(cc_gif_writer *writer, const cc_gif_screen *screen, cc_message *message) {
    GifFileType *gif = writer->gif;
    ColorMapObject *palette;
    cc_status status = make_palette(screen->palette, &palette);
    if (status != cc_status_ok) return status;
    EGifSetGifVersion(gif, true);
    int outcome = EGifPutScreenDesc(gif, (int)screen->width, (int)screen->height, 8, 0, palette);
    if (palette != NULL) GifFreeMapObject(palette);
    if (outcome == GIF_OK) outcome = write_loop_count(gif, screen->loop_count);
    return outcome == GIF_OK ? cc_status_ok : failure(writer, gif->Error, message);
}

cc_status cc_gif_open(const cc_gif_screen *screen, cc_gif_writer **result, cc_message *message) {
    *result = NULL;
    cc_gif_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return cc_status_out_of_memory;
    writer->byte_count_max = screen->byte_count_max;
    int code = 0;
    writer->gif = EGifOpen(writer, write_bytes, &code);
    cc_status status = writer->gif == NULL ? failure(writer, code, message)
                                           : write_header(writer, screen, message);
    if (status == cc_status_ok) {
        *result = writer;
    } else {
        cc_gif_close(writer);
    }
    return status;
}

// MARK: - Frames

/// Omitted if all fields have default values.
static int write_control(GifFileType *gif, const cc_gif_image *image) {
    if (image->transparent_index < 0 && image->disposal == 0 && image->delay == 0) return GIF_OK;
    GraphicsControlBlock control = {
        .DisposalMode = image->disposal,
        .DelayTime = (int)image->delay,
        .TransparentColor = image->transparent_index,
    };
    GifByteType bytes[4];
    size_t byte_count = EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)byte_count, bytes);
}

static int write_rows(GifFileType *gif, const cc_gif_image *image) {
    // giflib masks the row that it receives, so it gets a copy.
    GifPixelType *line = malloc(image->width);
    if (line == NULL) {
        gif->Error = E_GIF_ERR_NOT_ENOUGH_MEM;
        return GIF_ERROR;
    }
    int outcome = GIF_OK;
    for (uint32_t y = 0; y < image->height && outcome == GIF_OK; y++) {
        memcpy(line, image->indexes + (size_t)y * image->width, image->width);
        outcome = EGifPutLine(gif, line, (int)image->width);
    }
    free(line);
    return outcome;
}

cc_status cc_gif_add(cc_gif_writer *writer, const cc_gif_image *image, cc_message *message) {
    GifFileType *gif = writer->gif;
    ColorMapObject *palette;
    cc_status status = make_palette(image->palette, &palette);
    if (status != cc_status_ok) return status;
    int outcome = write_control(gif, image);
    if (outcome == GIF_OK) {
        outcome = EGifPutImageDesc(
            gif, (int)image->left, (int)image->top, (int)image->width, (int)image->height, false, palette);
    }
    if (palette != NULL) GifFreeMapObject(palette);
    if (outcome == GIF_OK) outcome = write_rows(gif, image);
    // giflib does not report all failures of the output.
    if (outcome == GIF_OK && writer->status == cc_status_ok) return cc_status_ok;
    return failure(writer, gif->Error, message);
}

cc_status cc_gif_finish(cc_gif_writer *writer, cc_output *output, cc_message *message) {
    *output = (cc_output){NULL, 0};
    int code = 0;
    int outcome = EGifCloseFile(writer->gif, &code);
    writer->gif = NULL;
    if (outcome == GIF_ERROR || writer->status != cc_status_ok) return failure(writer, code, message);
    *output = (cc_output){writer->output.bytes, writer->used};
    writer->output = (cc_output){NULL, 0};
    return cc_status_ok;
}

void cc_gif_close(cc_gif_writer *writer) {
    if (writer == NULL) return;
    int code = 0;
    if (writer->gif != NULL) EGifCloseFile(writer->gif, &code);
    free(writer->output.bytes);
    free(writer);
}

#endif
