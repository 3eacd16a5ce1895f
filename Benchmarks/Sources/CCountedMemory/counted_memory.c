#include "ccountedmemory.h"

#include <errno.h>
#include <stdatomic.h>

// The allocator's own names: a program that defines the public ones takes the place of the C library's,
// for itself and for every library that it loads.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static _Atomic uint64_t all_count, large_count;
static _Atomic size_t large_size = SIZE_MAX;

static void note(size_t size) {
    atomic_fetch_add_explicit(&all_count, 1, memory_order_relaxed);
    if (size >= atomic_load_explicit(&large_size, memory_order_relaxed))
        atomic_fetch_add_explicit(&large_count, 1, memory_order_relaxed);
}

void ccm_reset(size_t large_byte_count) {
    atomic_store(&large_size, large_byte_count);
    atomic_store(&all_count, 0);
    atomic_store(&large_count, 0);
}

ccm_counts ccm_read(void) {
    return (ccm_counts){atomic_load(&all_count), atomic_load(&large_count)};
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    size_t product;
    note(__builtin_mul_overflow(count, size, &product) ? SIZE_MAX : product);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    note(size);
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *aligned = memalign(alignment, size);
    if (aligned == NULL) return ENOMEM;
    *memory = aligned;
    return 0;
}

void free(void *memory) {
    __libc_free(memory);
}
