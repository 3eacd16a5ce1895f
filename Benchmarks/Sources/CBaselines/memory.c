#include "cbaselines.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { mapped_byte_count_min = 4 << 20, huge_page_byte_count = 2 << 20 };

static size_t byte_count_of(const cb_picture *picture) {
    return (size_t)picture->width * picture->height * picture->bytes_per_pixel;
}

static uint8_t *map(size_t byte_count) {
    size_t room = byte_count + huge_page_byte_count;
    uint8_t *mapped = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    uintptr_t mask = huge_page_byte_count - 1;
    size_t before = (huge_page_byte_count - ((uintptr_t)mapped & mask)) & mask;
    size_t kept = (byte_count + 4095) / 4096 * 4096;
    if (before > 0) munmap(mapped, before);
    if (room > before + kept) munmap(mapped + before + kept, room - before - kept);
    madvise(mapped + before, byte_count & ~mask, MADV_HUGEPAGE);
    return mapped + before;
}

int cb_picture_make(cb_picture *picture, uint32_t width, uint32_t height, uint32_t bytes_per_pixel) {
    *picture = (cb_picture){NULL, width, height, bytes_per_pixel};
    size_t byte_count = byte_count_of(picture);
    picture->bytes = byte_count < mapped_byte_count_min ? malloc(byte_count) : map(byte_count);
    return picture->bytes != NULL;
}

void cb_picture_free(cb_picture *picture) {
    size_t byte_count = byte_count_of(picture);
    if (byte_count < mapped_byte_count_min) {
        free(picture->bytes);
    } else if (picture->bytes != NULL) {
        munmap(picture->bytes, byte_count);
    }
    picture->bytes = NULL;
}

void cb_file_free(cb_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}
