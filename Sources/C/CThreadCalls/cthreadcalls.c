#define _GNU_SOURCE
#include "cthreadcalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// On systems whose 64-bit time is larger than a word, the call without a timeout is this one.
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

void calotype_thread_set_name(const char *name) {
    char text[16] = {0};
    strncpy(text, name, sizeof text - 1);
    pthread_setname_np(pthread_self(), text);
}

int calotype_thread_processor_count(void) {
    // The kernel rejects a set smaller than its own.
    for (int count = CPU_SETSIZE; count <= 1 << 20; count *= 2) {
        cpu_set_t *set = CPU_ALLOC(count);
        if (!set) return 0;
        size_t size = CPU_ALLOC_SIZE(count);
        int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : -errno;
        CPU_FREE(set);
        if (found >= 0) return found;
        if (found != -EINVAL) return 0;
    }
    return 0;
}

void calotype_thread_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

void calotype_futex_wait(const void *word, uint32_t value) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    errno = saved;
}

void calotype_futex_wake_one(const void *word) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

static _Thread_local const uint32_t *stop_word;

void calotype_thread_set_stop_word(const uint32_t *word) {
    stop_word = word;
}

const uint32_t *calotype_thread_stop_word(void) {
    return stop_word;
}

static _Thread_local uint64_t waited;

void calotype_thread_note_wait(uint64_t nanoseconds) {
    waited += nanoseconds;
}

uint64_t calotype_thread_waited(void) {
    return waited;
}

int calotype_thread_is_stopped(void) {
    return stop_word != NULL && __atomic_load_n(stop_word, __ATOMIC_RELAXED) != 0;
}

void calotype_thread_be_nice(int niceness) {
    // For Linux, 0 is the calling thread instead of the process.
    setpriority(PRIO_PROCESS, 0, niceness);
}

void calotype_heap_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void calotype_heap_return_blocks(int byte_count) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, byte_count);
#else
    (void)byte_count;
#endif
}
