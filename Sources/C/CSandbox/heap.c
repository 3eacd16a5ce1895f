#include "csandbox.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

enum { trim_threshold = 2 << 20 };

/// Frees the end of a thread's heap, more than glibc retains.
static void *shrink_heap(void *unused) {
    (void)unused;
    enum { size = 64 << 10, count = 4 * trim_threshold / size };
    // Volatile, since a compiler may remove an allocation that is only freed.
    void *volatile blocks[count];
    for (int i = 0; i < count; i++) blocks[i] = malloc(size);
    for (int i = count; i > 0; i--) free(blocks[i - 1]);
    return NULL;
}

/// Makes glibc determine now whether a thread's heap may shrink.
///
/// It reads /proc/sys/vm/overcommit_memory when a heap first shrinks, and caches the result; in the sandbox
/// it could not read the file, and would retain more memory.
static void settle_heap(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, shrink_heap, NULL) == 0) pthread_join(thread, NULL);
}

void calotype_sandbox_fill_heap(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
    // While the thread may have a heap of its own, and before memory has to be filled.
    settle_heap();
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_PERTURB, 0xA5);
}
