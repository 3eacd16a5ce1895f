#ifndef CALOTYPE_CSANDBOX_H
#define CALOTYPE_CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

// System calls for a sandboxed process and its parent that Swift's Glibc module does not provide: starting
// programs with few descriptors, shared memory, and the locks. A function that returns a negative number
// returns the negated errno.

// The descriptors of a worker: its socket, and the ends of two pipes, one to read from, one to write to.
#define CALOTYPE_SANDBOX_SOCKET 3
#define CALOTYPE_SANDBOX_INPUT 4
#define CALOTYPE_SANDBOX_OUTPUT 5

// Starts a program whose only open descriptors are /dev/null at 0, 1 and 2, and the socket and pipe ends in
// `own` at 3 to 5; with no signal blocked or handled, in a process group of its own. The caller's memory is
// not copied, whatever its size. Returns a pidfd, which is closed on exec, and sets `pid`; a negative number
// if the program cannot be started.
int calotype_sandbox_spawn(
    const char *path, char *const arguments[], char *const environment[], const int32_t own[3],
    int32_t *pid);

// Creates a pair of sockets that preserve message boundaries, both closed on exec.
int calotype_sandbox_socket_pair(int32_t ends[2]);

// Creates a pipe, its reading end first, both ends closed on exec. The end with index `own` is non-blocking.
int calotype_sandbox_pipe(int32_t ends[2], int own);

// Reads up to `size` available bytes. Returns their number; 0 if all writers have closed the pipe, -EAGAIN if
// there are none yet.
int64_t calotype_sandbox_read(int pipe, void *bytes, size_t size);

// Moves the pages of bytes into a pipe, as far as they fit: nothing is copied, so they must not change until
// they have been read. Returns the number of bytes; if the pipe is full, waits or returns -EAGAIN. Raises
// SIGPIPE if all readers have closed the pipe.
int64_t calotype_sandbox_give(int pipe, const void *bytes, size_t size, int waits);

// Returns whether a pipe, given by either end, has no unread bytes, or a socket has received nothing.
int calotype_sandbox_is_empty(int file);

// The type of these sockets, SOCK_SEQPACKET.
int32_t calotype_sandbox_socket_kind(void);

// Kills a process by its pidfd; no effect if it has ended already.
void calotype_sandbox_kill(int pidfd);

// Waits until a process has ended. Returns the signal that ended it; the negated exit status, at most 0,
// without a signal; INT32_MIN if another waiter has consumed the status.
int32_t calotype_sandbox_reap(int pidfd);

// Returns whether a process ends within a number of milliseconds, by its pidfd.
int calotype_sandbox_has_ended(int pidfd, int milliseconds);

// Creates a descriptor for watching the ends of processes, closed on exec.
int calotype_sandbox_watch(void);

// Reports the end of a process once, by a number; closing its pidfd cancels that.
int calotype_sandbox_watch_add(int watch, int pidfd, uint64_t number);

// Waits for the end of a watched process, and returns its number.
uint64_t calotype_sandbox_watch_next(int watch);

// Returns the processor time of a process in nanoseconds; a negative number if unknown.
int64_t calotype_sandbox_processor_time(int32_t pid);

// Returns the resident memory in bytes from an open `/proc/PID/statm`, and the shared part of it; a negative
// number if unknown.
int64_t calotype_sandbox_resident(int statm, int64_t *shared);

// Creates memory of `size` zeros as a file of fixed size, closed on exec. It occupies no memory until it is
// written to.
int calotype_sandbox_memory(size_t size);

// Seals memory against all further writes; fails if it is mapped writable.
int calotype_sandbox_seal(int memory);

// Returns the bytes that memory occupies; a negative number if unknown.
int64_t calotype_sandbox_held(int memory);

// Sends one message, and a descriptor unless that is -1. -EAGAIN if it does not fit now; -EPIPE if the other
// side is closed.
int calotype_sandbox_send(int socket, const void *bytes, size_t size, int descriptor);

// Receives one message, and its descriptor, or -1, closed on exec. Returns its size; 0 if the other side is
// closed, -ECONNRESET if it ended with unread messages, -EMSGSIZE if the message is longer than `size`, or
// has more than one descriptor.
int64_t calotype_sandbox_receive(int socket, void *bytes, size_t size, int32_t *descriptor);

// Whether the other side ended with unread messages, which no call has reported yet. Linux announces the
// end first, so that `calotype_sandbox_receive` may return 0 at that moment.
int calotype_sandbox_ended_unread(int socket);

// Waits up to a number of milliseconds until there is something to receive: 1, or 0 after the time.
int calotype_sandbox_wait(int socket, int milliseconds);

// Waits up to a number of milliseconds until a pipe has space or there is something to receive.
void calotype_sandbox_wait_for_room(int pipe, int socket, int milliseconds);

// Makes the heap of this process fill memory on allocation and release, and return large pieces to the system
// at once.
void calotype_sandbox_fill_heap(void);

// Makes the system end this process before its parent when memory runs out.
void calotype_sandbox_offer_to_end(void);

// The locks in effect.
typedef struct {
    // The version of Landlock's interface; 0 without Landlock.
    int32_t landlock;
    int32_t seccomp;
    int32_t limits;
    // The first call that failed and its errno; empty for none.
    char failure[96];
} calotype_sandbox_locks;

typedef struct {
    // The maximum growth of the address space in bytes.
    uint64_t memory;
    // The maximum processor time of the process in seconds.
    uint64_t seconds;
    // Folders whose files may be read, terminated by NULL; NULL for none.
    const char *const *readable;
} calotype_sandbox_limits;

// Locks this process in permanently, as far as the system supports it. The process gets no new privileges,
// accesses no file and no network, and makes only the calls needed for computing; any other call ends it with
// SIGSYS. It ends with the thread that started it.
void calotype_sandbox_lock(const calotype_sandbox_limits *limits, calotype_sandbox_locks *locks);

#endif
