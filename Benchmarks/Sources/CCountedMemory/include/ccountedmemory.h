#ifndef CCOUNTEDMEMORY_H
#define CCOUNTEDMEMORY_H

#include <stddef.h>
#include <stdint.h>

/// Allocations on all threads since the counts were set to zero.
typedef struct {
    /// Calls of malloc, calloc, realloc and the functions for aligned memory.
    uint64_t all;
    /// Those of them for at least as many bytes as counts as large.
    uint64_t large;
} ccm_counts;

/// Sets the counts to zero.
void ccm_reset(size_t large_byte_count);

ccm_counts ccm_read(void);

/// Whether a file that is in memory can be opened and read here without a call that may wait; 0 where the
/// kernel or the file system cannot do that, or a sandbox forbids it.
int ccm_reads_in_place(const char *path);

#endif
