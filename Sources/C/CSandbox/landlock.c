#define _GNU_SOURCE
#include "locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// landlock(7), whose header may be older than the kernel.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct folder_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

enum { ask_version = 1, rule_of_folder = 1 };

/// The restrictions supported by a version of the interface: LANDLOCK_ACCESS_FS_*, LANDLOCK_ACCESS_NET_*,
/// LANDLOCK_SCOPE_*.
static struct ruleset all_of(int version) {
    struct ruleset rules = {.files = (1 << 13) - 1};
    if (version >= 2) rules.files |= 1 << 13;  // refer
    if (version >= 3) rules.files |= 1 << 14;  // truncate
    if (version >= 4) rules.network = 3;       // bind and connect of TCP
    if (version >= 5) rules.files |= 1 << 15;  // ioctl of devices
    if (version >= 6) rules.scopes = 3;        // abstract sockets, signals
    return rules;
}

static void allow_reading(int rules, const char *path) {
    struct folder_rule rule = {.allowed = 1 << 2 | 1 << 3};  // read files and folders
    rule.folder = open(path, O_PATH | O_CLOEXEC);
    // Skip a missing folder.
    if (rule.folder < 0) return;
    syscall(SYS_landlock_add_rule, rules, rule_of_folder, &rule, 0);
    close(rule.folder);
}

void calotype_lock_files(const char *const *readable, calotype_sandbox_locks *locks) {
    int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, ask_version);
    if (version < 1) return calotype_note_failure(locks, "landlock_create_ruleset", errno);
    struct ruleset wanted = all_of(version);
    size_t size = version >= 6 ? sizeof wanted : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    if (rules < 0) return calotype_note_failure(locks, "landlock_create_ruleset", errno);
    for (; readable && *readable; readable++) allow_reading(rules, *readable);
    if (syscall(SYS_landlock_restrict_self, rules, 0) == 0) locks->landlock = version;
    else calotype_note_failure(locks, "landlock_restrict_self", errno);
    close(rules);
}
