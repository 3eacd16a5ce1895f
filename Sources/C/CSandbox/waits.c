#define _GNU_SOURCE
#include "csandbox.h"
#include "waits.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int calotype_poll(struct pollfd *entries, nfds_t count, int milliseconds) {
    const int64_t end = milliseconds > 0 ? now() + (int64_t)milliseconds * 1000000 : 0;
    int rest = milliseconds;
    while (1) {
        int result = poll(entries, count, rest);
        if (result >= 0 || errno != EINTR) return result;
        if (milliseconds > 0) {
            // Rounded up, so that the last wait is not zero.
            int64_t left = (end - now() + 999999) / 1000000;
            rest = left > 0 ? (int)left : 0;
        }
    }
}

int calotype_sandbox_wait(int socket, int milliseconds) {
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    // The following call reports a failure.
    return calotype_poll(&entry, 1, milliseconds) != 0;
}

void calotype_sandbox_wait_for_room(int pipe, int socket, int milliseconds) {
    struct pollfd entries[2] = {{.fd = pipe, .events = POLLOUT}, {.fd = socket, .events = POLLIN}};
    calotype_poll(entries, 2, milliseconds);
}
