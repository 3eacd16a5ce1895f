#ifndef PLAYER_H
#define PLAYER_H

#include "cbaselines.h"

/// The common first fields of the players of both formats.
struct cb_player {
    const uint8_t *(*next)(cb_player *player);
    void (*close)(cb_player *player);
};

#endif
