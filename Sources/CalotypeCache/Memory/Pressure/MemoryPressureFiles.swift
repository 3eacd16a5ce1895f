internal import CalotypeSupport

/// Which files of the kernel tell of this process's memory.
struct MemoryPressureFiles: Hashable, Sendable {
    /// The stall information to register triggers on.
    let stalls: String

    /// The groups whose events count, the best first.
    let eventFolders: [String]

    /// Whether a group limits this process, so that its events count beside stalls.
    let isLimited: Bool

    /// Takes the innermost group that has a limit, else the machine: what others on the machine wait for is
    /// nothing that a process within a limit of its own can mend, and the machine is seldom short when the
    /// group is.
    init(groups: ControlGroups, readText: (String) -> String?) {
        if let folder = groups.limitedFolder(readText: readText) {
            stalls = folder + "/memory.pressure"
            eventFolders = [folder]
            isLimited = true
        } else {
            stalls = "/proc/pressure/memory"
            eventFolders = groups.unifiedFolders
            isLimited = false
        }
    }
}
