#ifndef CALOTYPE_LOCKS_H
#define CALOTYPE_LOCKS_H

#include "csandbox.h"

// Keeps the first failure.
void calotype_note_failure(calotype_sandbox_locks *locks, const char *call, int number);

// Landlock: no file but those in the folders, which may be read; no TCP, no abstract sockets and signals
// beyond this process, as far as the kernel knows them.
void calotype_lock_files(const char *const *readable, calotype_sandbox_locks *locks);

// What becomes of calls that read files.
typedef enum {
    calotype_files_end_process,
    // They fail with EACCES.
    calotype_files_refused,
    calotype_files_readable,
} calotype_files;

// seccomp, for all threads: only the calls that computing needs, and where it is wanted those that read
// files.
void calotype_lock_calls(calotype_files files, calotype_sandbox_locks *locks);

#endif
