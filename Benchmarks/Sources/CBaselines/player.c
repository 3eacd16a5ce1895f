#include "player.h"

const uint8_t *cb_player_next(cb_player *player) {
    return player->next(player);
}

void cb_player_close(cb_player *player) {
    player->close(player);
}
