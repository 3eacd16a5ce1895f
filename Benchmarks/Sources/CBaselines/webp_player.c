#include "player.h"

#include <stdlib.h>
#include <webp/demux.h>

typedef struct webp_player {
    cb_player player;
    WebPAnimDecoder *decoder;
} webp_player;

static const uint8_t *next(cb_player *player) {
    WebPAnimDecoder *decoder = ((webp_player *)player)->decoder;
    uint8_t *canvas = NULL;
    int timestamp = 0;
    return WebPAnimDecoderGetNext(decoder, &canvas, &timestamp) ? canvas : NULL;
}

static void close_player(cb_player *player) {
    WebPAnimDecoderDelete(((webp_player *)player)->decoder);
    free(player);
}

cb_player *cb_webp_player_open(const uint8_t *file, size_t count) {
    WebPData data = {file, count};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    webp_player *player = calloc(1, sizeof *player);
    if (decoder == NULL || player == NULL) return NULL;
    *player = (webp_player){{next, close_player}, decoder};
    return &player->player;
}
