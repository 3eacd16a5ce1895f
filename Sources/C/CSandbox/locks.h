#ifndef CALOTYPE_LOCKS_H
#define CALOTYPE_LOCKS_H

#include "csandbox.h"

// Records the first failure.
void calotype_note_failure(calotype_sandbox_locks *locks, const char *call, int number);

// Applies Landlock: only files in the given folders may be read; no TCP, no abstract sockets and no signals
// beyond this process, as far as the kernel supports these restrictions.
void calotype_lock_files(const char *const *readable, calotype_sandbox_locks *locks);

// The treatment of calls that read files.
typedef enum {
    calotype_files_end_process,
    // Fail with EACCES.
    calotype_files_refused,
    calotype_files_readable,
} calotype_files;

// Applies seccomp to all threads: allows only the calls needed for computing, and optionally those that read
// files.
void calotype_lock_calls(calotype_files files, calotype_sandbox_locks *locks);

#endif
