#define _GNU_SOURCE
#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int calotype_sandbox_socket_pair(int32_t ends[2]) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -errno;
    ends[0] = pair[0];
    ends[1] = pair[1];
    return 0;
}

int calotype_sandbox_pipe(int32_t ends[2], int own) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) return -errno;
    // The maximum for a user; if the user's quota is exhausted, the size is unchanged.
    fcntl(pair[1], F_SETPIPE_SZ, 1 << 20);
    int flags = fcntl(pair[own], F_GETFL);
    fcntl(pair[own], F_SETFL, flags | O_NONBLOCK);
    ends[0] = pair[0];
    ends[1] = pair[1];
    return 0;
}

int64_t calotype_sandbox_read(int pipe, void *bytes, size_t size) {
    ssize_t count;
    do {
        count = read(pipe, bytes, size);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int64_t calotype_sandbox_give(int pipe, const void *bytes, size_t size, int waits) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    ssize_t count;
    do {
        count = vmsplice(pipe, &part, 1, waits ? 0 : SPLICE_F_NONBLOCK);
        // Copy if the kernel lacks the call (gVisor).
        if (count < 0 && errno == ENOSYS) count = write(pipe, bytes, size);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int calotype_sandbox_is_empty(int file) {
    int count = 0;
    return ioctl(file, FIONREAD, &count) == 0 && count == 0;
}

int calotype_sandbox_ended_unread(int socket) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == ECONNRESET;
}

int32_t calotype_sandbox_socket_kind(void) {
    return SOCK_SEQPACKET;
}

int calotype_sandbox_memory(size_t size) {
    int memory = memfd_create("calotype", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) return -errno;
    if (ftruncate(memory, (off_t)size) == 0
        && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return memory;
    int failure = errno;
    close(memory);
    return -failure;
}

int calotype_sandbox_seal(int memory) {
    return fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

int64_t calotype_sandbox_held(int memory) {
    struct stat status;
    return fstat(memory, &status) == 0 ? (int64_t)status.st_blocks * 512 : -errno;
}

int calotype_sandbox_send(int socket, const void *bytes, size_t size, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    ssize_t count;
    do {
        count = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : 0;
}

/// Takes the first descriptor of a message and closes all others.
static int take_descriptors(struct msghdr *message, int32_t *descriptor) {
    int count = 0;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        size_t size = head->cmsg_len - CMSG_LEN(0);
        for (size_t offset = 0; offset + sizeof(int) <= size; offset += sizeof(int)) {
            int number;
            memcpy(&number, CMSG_DATA(head) + offset, sizeof number);
            if (count++ == 0) *descriptor = number;
            else close(number);
        }
    }
    return count;
}

int64_t calotype_sandbox_receive(int socket, void *bytes, size_t size, int32_t *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    union {
        char room[CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    *descriptor = -1;
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    int descriptors = take_descriptors(&message, descriptor);
    if (descriptors <= 1 && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return count;
    if (descriptors > 0) close(*descriptor);
    *descriptor = -1;
    return -EMSGSIZE;
}
