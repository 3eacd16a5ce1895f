#include "csandbox.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

enum { trim_threshold = 2 << 20 };

/// Gives back the end of a heap that is a thread's, more than glibc keeps.
static void *shrink_heap(void *unused) {
    (void)unused;
    enum { size = 64 << 10, count = 4 * trim_threshold / size };
    // Volatile, since a compiler may leave out what is only freed again.
    void *volatile blocks[count];
    for (int i = 0; i < count; i++) blocks[i] = malloc(size);
    for (int i = count; i > 0; i--) free(blocks[i - 1]);
    return NULL;
}

/// Has glibc find out now whether a thread's heap may shrink.
///
/// It reads /proc/sys/vm/overcommit_memory the first time that one does, and remembers; behind the lock it
/// could not read it, and would keep more memory.
static void settle_heap(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, shrink_heap, NULL) == 0) pthread_join(thread, NULL);
}

void calotype_sandbox_fill_heap(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
    // While it may still have a heap of its own, and need not be filled.
    settle_heap();
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_PERTURB, 0xA5);
}
