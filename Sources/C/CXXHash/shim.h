#include <xxhash.h>

// If built with dispatch, the library selects the widest vectors of the processor at run time; its plain
// functions use those that every processor of the architecture has.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

static inline XXH64_hash_t calotype_xxh3(const void *bytes, size_t byte_count) {
    return XXH3_64bits(bytes, byte_count);
}
