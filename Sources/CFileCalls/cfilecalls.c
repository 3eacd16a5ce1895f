#define _GNU_SOURCE
#include "cfilecalls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t calotype_copy_file_range(int source, int target, size_t byte_count) {
    return copy_file_range(source, NULL, target, NULL, byte_count, 0);
}

int calotype_o_noatime(void) { return O_NOATIME; }

long calotype_utime_omit(void) { return UTIME_OMIT; }
