#include "player.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

/// giflib reads frame by frame; they are laid over each other here.
typedef struct gif_player {
    cb_player player;
    GifFileType *gif;
    const uint8_t *rest;
    size_t count;
    uint8_t *canvas;
    GifPixelType *line;
    GraphicsControlBlock control;
    /// The area of the frame that is shown, and its disposal method.
    GifImageDesc shown;
    int disposal;
} gif_player;

static int read_bytes(GifFileType *gif, GifByteType *target, int wanted) {
    gif_player *from = gif->UserData;
    size_t count = (size_t)wanted < from->count ? (size_t)wanted : from->count;
    memcpy(target, from->rest, count);
    from->rest += count;
    from->count -= count;
    return (int)count;
}

static uint8_t *place(const gif_player *player, int left, int top) {
    return player->canvas + ((size_t)top * (size_t)player->gif->SWidth + (size_t)left) * 4;
}

/// Putting back what was there before is left out: the animations of the rows do not ask for it.
static void dispose(gif_player *player) {
    const GifImageDesc *shown = &player->shown;
    if (player->disposal != DISPOSE_BACKGROUND) return;
    for (int y = 0; y < shown->Height; y++) {
        memset(place(player, shown->Left, shown->Top + y), 0, (size_t)shown->Width * 4);
    }
}

static int read_extension(gif_player *player) {
    int code = 0;
    GifByteType *bytes = NULL;
    if (DGifGetExtension(player->gif, &code, &bytes) == GIF_ERROR) return 0;
    while (bytes != NULL) {
        if (code == GRAPHICS_EXT_FUNC_CODE) DGifExtensionToGCB(bytes[0], bytes + 1, &player->control);
        if (DGifGetExtensionNext(player->gif, &bytes) == GIF_ERROR) return 0;
    }
    return 1;
}

static void lay_line(const gif_player *player, const ColorMapObject *map, uint8_t *target, int width) {
    for (int x = 0; x < width; x++, target += 4) {
        if (player->line[x] == player->control.TransparentColor) continue;
        GifColorType color = map->Colors[player->line[x]];
        target[0] = color.Red;
        target[1] = color.Green;
        target[2] = color.Blue;
        target[3] = 255;
    }
}

static int read_frame(gif_player *player) {
    GifFileType *gif = player->gif;
    if (DGifGetImageDesc(gif) == GIF_ERROR) return 0;
    const GifImageDesc *image = &gif->Image;
    int is_within =
        image->Left + image->Width <= gif->SWidth && image->Top + image->Height <= gif->SHeight;
    if (image->Interlace || !is_within) return 0;
    const ColorMapObject *map = image->ColorMap != NULL ? image->ColorMap : gif->SColorMap;
    for (int y = 0; y < image->Height; y++) {
        if (DGifGetLine(gif, player->line, image->Width) == GIF_ERROR) return 0;
        lay_line(player, map, place(player, image->Left, image->Top + y), image->Width);
    }
    player->shown = *image;
    player->disposal = player->control.DisposalMode;
    return 1;
}

static const uint8_t *next(cb_player *base) {
    gif_player *player = (gif_player *)base;
    player->control = (GraphicsControlBlock){.TransparentColor = NO_TRANSPARENT_COLOR};
    dispose(player);
    player->disposal = DISPOSAL_UNSPECIFIED;
    for (;;) {
        GifRecordType type;
        if (DGifGetRecordType(player->gif, &type) == GIF_ERROR) return NULL;
        switch (type) {
        case EXTENSION_RECORD_TYPE:
            if (!read_extension(player)) return NULL;
            break;
        case IMAGE_DESC_RECORD_TYPE: return read_frame(player) ? player->canvas : NULL;
        default: return NULL;
        }
    }
}

static void close_player(cb_player *base) {
    gif_player *player = (gif_player *)base;
    int code = 0;
    DGifCloseFile(player->gif, &code);
    free(player->canvas);
    free(player->line);
    free(player);
}

cb_player *cb_gif_player_open(const uint8_t *file, size_t count) {
    gif_player *player = calloc(1, sizeof *player);
    if (player == NULL) return NULL;
    *player = (gif_player){.player = {next, close_player}, .rest = file, .count = count};
    int code = 0;
    player->gif = DGifOpen(player, read_bytes, &code);
    if (player->gif == NULL) return NULL;
    player->canvas = calloc((size_t)player->gif->SWidth * (size_t)player->gif->SHeight, 4);
    player->line = malloc((size_t)player->gif->SWidth);
    return &player->player;
}
