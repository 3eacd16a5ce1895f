#define _GNU_SOURCE
#include "cfilecalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

ssize_t calotype_copy_file_range(int source, int target, size_t byte_count) {
    return copy_file_range(source, NULL, target, NULL, byte_count, 0);
}

int calotype_open_cached(const char *path, int flags) {
#ifdef RESOLVE_CACHED
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_CACHED};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int calotype_open_beneath(int folder, const char *path, int flags) {
#ifdef RESOLVE_BENEATH
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

ssize_t calotype_read_cached(int file, void *buffer, size_t byte_count, off_t offset) {
#ifdef RWF_NOWAIT
    struct iovec vector = {.iov_base = buffer, .iov_len = byte_count};
    return preadv2(file, &vector, 1, offset, RWF_NOWAIT);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int calotype_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int calotype_o_noatime(void) { return O_NOATIME; }

long calotype_utime_omit(void) { return UTIME_OMIT; }
