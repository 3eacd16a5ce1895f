#define _GNU_SOURCE
#include "csandbox.h"
#include "locks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// The range is -1000 to 1000 (proc_pid_oom_score_adj(5)).
enum { worker_score = 500 };

void calotype_note_failure(calotype_sandbox_locks *locks, const char *call, int number) {
    if (locks->failure[0] != 0) return;
    snprintf(locks->failure, sizeof locks->failure, "%s: %s", call, strerrordesc_np(number));
}

/// Returns the used address space in bytes.
static uint64_t taken(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    unsigned long long pages = 0;
    if (fscanf(file, "%llu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int limit(int resource, uint64_t value) {
    struct rlimit both;
    if (getrlimit(resource, &both) != 0) return -1;
    if (both.rlim_max != RLIM_INFINITY && value > both.rlim_max) value = both.rlim_max;
    both.rlim_cur = both.rlim_max = value;
    return setrlimit(resource, &both);
}

static void set_limits(const calotype_sandbox_limits *limits, calotype_sandbox_locks *locks) {
    uint64_t space = taken();
    locks->limits = 1;
    if (space == 0 || limit(RLIMIT_AS, space + limits->memory) != 0 || limit(RLIMIT_CORE, 0) != 0
        || limit(RLIMIT_CPU, limits->seconds) != 0 || limit(RLIMIT_FSIZE, 0) != 0
        || limit(RLIMIT_NOFILE, 64) != 0 || limit(RLIMIT_MEMLOCK, 0) != 0
        || limit(RLIMIT_MSGQUEUE, 0) != 0) {
        locks->limits = 0;
        calotype_note_failure(locks, "setrlimit", errno);
    }
}

void calotype_sandbox_offer_to_end(void) {
    FILE *file = fopen("/proc/self/oom_score_adj", "r+e");
    if (!file) return;
    int score = 0;
    // The score of a worker is at least that of its program.
    if (fscanf(file, "%d", &score) == 1 && score < worker_score) {
        rewind(file);
        fprintf(file, "%d", worker_score);
    }
    fclose(file);
}

void calotype_sandbox_lock(const calotype_sandbox_limits *limits, calotype_sandbox_locks *locks) {
    memset(locks, 0, sizeof *locks);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    set_limits(limits, locks);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        calotype_note_failure(locks, "no_new_privs", errno);
        return;
    }
    calotype_lock_files(limits->readable, locks);
    // Without Landlock the readable files are not bounded, so none is.
    calotype_files files = locks->landlock > 0 ? calotype_files_readable : calotype_files_refused;
    calotype_lock_calls(limits->readable ? files : calotype_files_end_process, locks);
}
