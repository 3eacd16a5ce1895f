#ifndef CALOTYPE_WAITS_H
#define CALOTYPE_WAITS_H

#include <poll.h>

// `poll` that waits for the whole time, even if signals interrupt it. Returns 0 after the time.
int calotype_poll(struct pollfd *entries, nfds_t count, int milliseconds);

#endif
