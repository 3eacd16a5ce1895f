#define _GNU_SOURCE
#include "csandbox.h"
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { own_count = 3, first_own = CALOTYPE_SANDBOX_SOCKET };

static int add_actions(posix_spawn_file_actions_t *actions, const int own[own_count]) {
    int failure = 0;
    for (int number = 0; number < 3 && !failure; number++) {
        failure = posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_RDWR, 0);
    }
    for (int index = 0; index < own_count && !failure; index++) {
        failure = posix_spawn_file_actions_adddup2(actions, own[index], first_own + index);
    }
    if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(actions, first_own + own_count);
    return failure;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    // A key that interrupts the program does not interrupt its workers, which end with it.
    posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int start(
    const char *path, char *const arguments[], char *const environment[], const int own[own_count],
    pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failure = add_actions(&actions, own);
    if (!failure) failure = set_attributes(&attributes);
    if (!failure) failure = posix_spawn(child, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

int calotype_sandbox_spawn(
    const char *path, char *const arguments[], char *const environment[], const int32_t own[3],
    int32_t *pid) {
    // Duplicates above the program's descriptors: one that has its final number already would be closed on
    // exec.
    int high[own_count], failure = 0;
    for (int index = 0; index < own_count; index++) {
        high[index] = fcntl(own[index], F_DUPFD_CLOEXEC, first_own + own_count);
        if (high[index] < 0) failure = errno;
    }
    pid_t child = -1;
    if (!failure) failure = start(path, arguments, environment, high, &child);
    for (int index = 0; index < own_count; index++) {
        if (high[index] >= 0) close(high[index]);
    }
    if (failure) return -failure;
    // The child has not been reaped yet, so the number is still its own.
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    if (pidfd < 0) {
        failure = errno;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        return -failure;
    }
    *pid = child;
    return pidfd;
}

void calotype_sandbox_kill(int pidfd) {
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

int32_t calotype_sandbox_reap(int pidfd) {
    siginfo_t news;
    memset(&news, 0, sizeof news);
    int result;
    do {
        result = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &news, WEXITED);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return INT32_MIN;
    return news.si_code == CLD_EXITED ? -news.si_status : news.si_status;
}

int calotype_sandbox_has_ended(int pidfd, int milliseconds) {
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    return calotype_poll(&entry, 1, milliseconds) > 0;
}

int calotype_sandbox_watch(void) {
    int watch = epoll_create1(EPOLL_CLOEXEC);
    return watch < 0 ? -errno : watch;
}

int calotype_sandbox_watch_add(int watch, int pidfd, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = number};
    return epoll_ctl(watch, EPOLL_CTL_ADD, pidfd, &event) == 0 ? 0 : -errno;
}

uint64_t calotype_sandbox_watch_next(int watch) {
    struct epoll_event event;
    while (epoll_wait(watch, &event, 1, -1) != 1) {}
    return event.data.u64;
}

int64_t calotype_sandbox_processor_time(int32_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t calotype_sandbox_resident(int statm, int64_t *shared) {
    char text[128];
    ssize_t length = pread(statm, text, sizeof text - 1, 0);
    if (length <= 0) return -1;
    text[length] = 0;
    long long total, resident, common;
    if (sscanf(text, "%lld %lld %lld", &total, &resident, &common) != 3) return -1;
    long page = sysconf(_SC_PAGESIZE);
    *shared = common * page;
    return resident * page;
}
