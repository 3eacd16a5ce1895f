internal import CalotypeSupport

/// The kernel's files with information about this process's memory.
struct MemoryPressureFiles: Hashable, Sendable {
    /// The file of stall information to register triggers on.
    let stalls: String

    /// The control groups whose events count, in order of preference.
    let eventFolders: [String]

    /// Whether a control group limits this process, so that its events count beside stalls.
    let isLimited: Bool

    /// Selects the innermost group that has a limit, otherwise the machine.
    ///
    /// A process within its own limit cannot relieve stalls of other processes, and the machine is seldom
    /// short of memory when the group is.
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
