#ifndef CALOTYPE_CFILECALLS_H
#define CALOTYPE_CFILECALLS_H

#include <stddef.h>
#include <sys/types.h>

// Linux file calls that the C library declares only under _GNU_SOURCE, which Swift's Glibc module is built
// without.

// `copy_file_range(2)` from the current offset of one descriptor to that of another; -1 with errno set on
// failure.
ssize_t calotype_copy_file_range(int source, int target, size_t byte_count);

// `openat2(2)` with `RESOLVE_CACHED`: -1 with EAGAIN if a part of the path is not in memory, and with ENOSYS
// if this was built without the call.
int calotype_open_cached(const char *path, int flags);

// `openat2(2)` with `RESOLVE_BENEATH`: -1 with EXDEV for a path that leads out of the folder, by `..`, by a
// symbolic link or by being absolute; -1 with ENOSYS if the system, or this build, lacks the call.
int calotype_open_beneath(int folder, const char *path, int flags);

// `preadv2(2)` with `RWF_NOWAIT`: -1 with EAGAIN, or fewer bytes, if some are not in memory, and -1 with
// ENOSYS if this was built without the call.
ssize_t calotype_read_cached(int file, void *buffer, size_t byte_count, off_t offset);

// `pipe2(2)` with `O_CLOEXEC`: the reading end, then the writing one; -1 with errno set on failure.
int calotype_pipe(int ends[2]);

// The value of `O_NOATIME`: reading does not change the access time.
int calotype_o_noatime(void);

// The value of `UTIME_OMIT`: `utimensat` leaves the time unchanged.
long calotype_utime_omit(void);

#endif
