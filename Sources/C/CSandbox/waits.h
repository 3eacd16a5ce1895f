#ifndef CALOTYPE_WAITS_H
#define CALOTYPE_WAITS_H

#include <poll.h>

// `poll` that waits for the whole time, also if signals interrupt it. Returns 0 if the time is over.
int calotype_poll(struct pollfd *entries, nfds_t count, int milliseconds);

#endif
