#ifndef CALOTYPE_CSANDBOX_H
#define CALOTYPE_CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

// The calls that a process in a sandbox, and its parent, need of the system and that Swift's Glibc module
// does not show: programs started with one descriptor, memory that is handed over, and the locks. A function
// that returns a number below 0 returns the negated errno.

// The descriptors that a worker finds its socket at, and the ends of two pipes: one that it reads from, one
// that it writes to.
#define CALOTYPE_SANDBOX_SOCKET 3
#define CALOTYPE_SANDBOX_INPUT 4
#define CALOTYPE_SANDBOX_OUTPUT 5

// Starts a program whose only open descriptors are those of /dev/null at 0, 1 and 2, and behind them the
// socket and the ends of two pipes that `own` tells, from 3 to 5; with no signal blocked or handled, in a
// process group of its own. Nothing of the caller is copied, however large it is. Returns a pidfd, which is
// closed on exec, and sets `pid`; a number below 0 where it cannot be started.
int calotype_sandbox_spawn(
    const char *path, char *const arguments[], char *const environment[], const int32_t own[3],
    int32_t *pid);

// Two ends of a socket that keeps messages apart, both closed on exec.
int calotype_sandbox_socket_pair(int32_t ends[2]);

// The end of a pipe that is read from and the one that is written to, both closed on exec. The one of number
// `own` never waits.
int calotype_sandbox_pipe(int32_t ends[2], int own);

// Reads what is there, up to `size` bytes. Returns their number; 0 where nobody writes any more, -EAGAIN
// where there is nothing yet.
int64_t calotype_sandbox_read(int pipe, void *bytes, size_t size);

// Puts the pages of bytes into a pipe, as many as there is room for: nothing is copied, so they must stay as
// they are until they have been read. Returns how many bytes that were; where there is no room it waits, or
// returns -EAGAIN. Where nobody reads any more there is a SIGPIPE.
int64_t calotype_sandbox_give(int pipe, const void *bytes, size_t size, int waits);

// Whether nothing is in a pipe that has not been read, asked of either end, or has come to a socket.
int calotype_sandbox_is_empty(int file);

// The kind of these sockets, SOCK_SEQPACKET.
int32_t calotype_sandbox_socket_kind(void);

// Kills a process by its pidfd; for one that has ended already it does nothing.
void calotype_sandbox_kill(int pidfd);

// Waits until a process has ended. Returns the signal that ended it; the negated status of its exit, at most
// 0, where none did; INT32_MIN where somebody else has taken the news.
int32_t calotype_sandbox_reap(int pidfd);

// Whether a process ends within so many milliseconds, by its pidfd.
int calotype_sandbox_has_ended(int pidfd, int milliseconds);

// A descriptor by which the ends of processes are waited for, closed on exec.
int calotype_sandbox_watch(void);

// Has the end of a process told once, by a number; no longer once its pidfd is closed.
int calotype_sandbox_watch_add(int watch, int pidfd, uint64_t number);

// Waits for the end of a process that is watched, and returns its number.
uint64_t calotype_sandbox_watch_next(int watch);

// Nanoseconds of processor time that a process has used; a number below 0 where it cannot be told.
int64_t calotype_sandbox_processor_time(int32_t pid);

// Bytes of memory that `/proc/PID/statm`, open at `statm`, tells: resident, and of these the shared ones.
// Returns a number below 0 where it cannot be told.
int64_t calotype_sandbox_resident(int statm, int64_t *shared);

// New memory of `size` zeros as a file that neither grows nor shrinks, closed on exec. It takes no memory
// until something is written.
int calotype_sandbox_memory(size_t size);

// Whether nobody can write to memory from now on, in no way: not where somebody has mapped it to do so.
int calotype_sandbox_seal(int memory);

// Bytes that memory takes; a number below 0 where they cannot be told.
int64_t calotype_sandbox_held(int memory);

// Sends one message, and a descriptor with it unless that is -1. -EAGAIN where it does not fit now; -EPIPE
// where nobody listens any more.
int calotype_sandbox_send(int socket, const void *bytes, size_t size, int descriptor);

// Receives one message, and the descriptor that comes with it, or -1, closed on exec. Returns its size; 0
// for a side that is gone, -ECONNRESET where the other side has ended with messages unread,
// -EMSGSIZE where it is longer than `size`, or has more than one descriptor.
int64_t calotype_sandbox_receive(int socket, void *bytes, size_t size, int32_t *descriptor);

// Waits until there is something to receive, or so many milliseconds: 1, or 0 where there was nothing.
int calotype_sandbox_wait(int socket, int milliseconds);

// Waits until there is room in a pipe or something to receive, or so many milliseconds.
void calotype_sandbox_wait_for_room(int pipe, int socket, int milliseconds);

// Has the heap of this process fill what it hands out and what it takes back, and give large pieces back to
// the system at once.
void calotype_sandbox_fill_heap(void);

// Has the system end this process before the program that started it if there is no memory left.
void calotype_sandbox_offer_to_end(void);

// What has been locked.
typedef struct {
    // The version of Landlock's interface; 0 where the kernel has none.
    int32_t landlock;
    int32_t seccomp;
    int32_t limits;
    // The first call that failed and its errno; empty where none did.
    char failure[96];
} calotype_sandbox_locks;

typedef struct {
    // By how much the address space may grow.
    uint64_t memory;
    // Seconds of processor time for all that the process does.
    uint64_t seconds;
    // Folders, with NULL behind the last, whose files may be read; none where it is NULL.
    const char *const *readable;
} calotype_sandbox_limits;

// Locks this process in, for good, as far as the system can: it gets no new privileges, reaches no file and
// no network, and makes no call but those that computing needs; another call ends it with SIGSYS. It ends
// with the thread that started it.
void calotype_sandbox_lock(const calotype_sandbox_limits *limits, calotype_sandbox_locks *locks);

#endif
