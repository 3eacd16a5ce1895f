#define _GNU_SOURCE
#include "locks.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/// Calls that only compute, or only access existing resources of the process.
static const int allowed[] = {
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
    SCMP_SYS(futex_time64), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu),
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(nanosleep), SCMP_SYS(getrandom), SCMP_SYS(getpid),
    SCMP_SYS(gettid), SCMP_SYS(getrusage), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(close), SCMP_SYS(lseek),
    SCMP_SYS(_llseek), SCMP_SYS(membarrier),
    // The amount of memory, queried by the C library's `qsort`.
    SCMP_SYS(sysinfo),
};

/// Calls for the socket only.
static const int of_socket[] = {
    SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(recvfrom), SCMP_SYS(sendto),
};

/// Calls that read files, which Landlock bounds; `read` is needed for the pipe too.
static const int reading[] = {
    SCMP_SYS(pread64), SCMP_SYS(fstat), SCMP_SYS(getdents64),
    SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(fstatfs), SCMP_SYS(statfs), SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(fadvise64),
    SCMP_SYS(stat), SCMP_SYS(lstat),
};

/// Calls that fail as on a system without them: those of libnuma, by which x265 queries the machine's nodes
/// (on failure it assumes one), and others.
static const int absent[] = {
    SCMP_SYS(get_mempolicy), SCMP_SYS(set_mempolicy), SCMP_SYS(mbind),
    // Its arguments are in memory, invisible to a filter; on failure the C library calls `clone`.
    SCMP_SYS(clone3),
    // GLib asks whether standard error is the journal or a terminal, once a library logs a warning.
    SCMP_SYS(getpeername), SCMP_SYS(ioctl),
};

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/// Sets the action for calls: allow, or fail with an error number.
static int answer(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count) {
    int failure = 0;
    for (size_t i = 0; i < count && !failure; i++) failure = seccomp_rule_add(filter, action, calls[i], 0);
    return failure;
}

/// Allows memory that is not executable; threads, but no processes; signals to this process.
static int allow_with_conditions(scmp_filter_ctx filter) {
    const unsigned long thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    int failure = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
    // The C library names memory if the kernel supports it.
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_VMA));
    for (size_t i = 0; i < COUNT_OF(of_socket) && !failure; i++) {
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, of_socket[i], 1, SCMP_A0(SCMP_CMP_EQ, CALOTYPE_SANDBOX_SOCKET));
    }
    // Data that arrives with a job or is sent with a response.
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(read), 1, SCMP_A0(SCMP_CMP_EQ, CALOTYPE_SANDBOX_INPUT));
    const int to_pipe[] = {SCMP_SYS(vmsplice), SCMP_SYS(write)};
    for (size_t i = 0; i < COUNT_OF(to_pipe) && !failure; i++) {
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, to_pipe[i], 1, SCMP_A0(SCMP_CMP_EQ, CALOTYPE_SANDBOX_OUTPUT));
    }
    // The output of libraries goes to /dev/null.
    for (int output = 1; output <= 2 && !failure; output++) {
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)output));
        if (!failure)
            failure = seccomp_rule_add(
                filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)output));
    }
    return failure;
}

/// Allows opening files read-only.
static int allow_reading(scmp_filter_ctx filter) {
    const unsigned long writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    int failure = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, writing, 0));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, writing, 0));
    if (!failure)
        failure = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_SETFD));
    if (!failure) failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(read), 0);
    return failure ? failure : answer(filter, SCMP_ACT_ALLOW, reading, COUNT_OF(reading));
}

/// The C library finds none of the system files that it opens itself, such as the list of processors.
static int refuse_own_reading(scmp_filter_ctx filter) {
    return seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_EQ, O_RDONLY | O_CLOEXEC));
}

/// Libraries find no files.
static int refuse_reading(scmp_filter_ctx filter) {
    int failure = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 0);
    if (!failure) failure = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(open), 0);
    return failure ? failure : answer(filter, SCMP_ACT_ERRNO(EACCES), reading, COUNT_OF(reading));
}

void calotype_lock_calls(calotype_files files, calotype_sandbox_locks *locks) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter) return calotype_note_failure(locks, "seccomp_init", ENOMEM);
    // Existing threads are locked too.
    int failure = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!failure) failure = answer(filter, SCMP_ACT_ALLOW, allowed, COUNT_OF(allowed));
    if (!failure) failure = answer(filter, SCMP_ACT_ERRNO(ENOSYS), absent, COUNT_OF(absent));
    if (!failure) failure = allow_with_conditions(filter);
    // Queries whether an output is a terminal or a journal: GLib does so before a font warning.
    if (!failure && files != calotype_files_end_process)
        failure = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 0);
    if (!failure && files != calotype_files_end_process)
        failure = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTSOCK), SCMP_SYS(getpeername), 0);
    if (!failure && files == calotype_files_readable) failure = allow_reading(filter);
    if (!failure && files == calotype_files_refused) failure = refuse_reading(filter);
    if (!failure && files == calotype_files_end_process) failure = refuse_own_reading(filter);
    if (!failure) failure = seccomp_load(filter);
    if (failure) calotype_note_failure(locks, "seccomp_load", -failure);
    else locks->seccomp = 1;
    seccomp_release(filter);
}
