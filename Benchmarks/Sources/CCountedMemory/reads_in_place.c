#define _GNU_SOURCE
#include "ccountedmemory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

int ccm_reads_in_place(const char *path) {
#if defined(RESOLVE_CACHED) && defined(RWF_NOWAIT)
    struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_CACHED};
    int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file < 0) return 0;
    char byte;
    struct iovec vector = {.iov_base = &byte, .iov_len = 1};
    ssize_t count = preadv2(file, &vector, 1, 0, RWF_NOWAIT);
    close(file);
    return count == 1;
#else
    return 0;
#endif
}
