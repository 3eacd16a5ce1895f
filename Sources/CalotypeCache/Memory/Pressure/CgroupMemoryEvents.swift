/// The counters of a control group's `memory.events` file.
///
/// - SeeAlso: "Memory Interface Files" in the kernel's documentation of cgroup v2.
struct CgroupMemoryEvents: Hashable, Sendable {
    /// Times the group was throttled and made to reclaim for being over `memory.high`.
    var high = 0
    /// Times the group was about to exceed `memory.max`.
    var max = 0
    /// Times an allocation was about to fail at that limit.
    var oom = 0

    init() {}

    /// Reads the text of the file; a counter that is not in it is 0.
    init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Int(words[1]) else { continue }
            switch words[0] {
            case "high": high = count
            case "max": max = count
            case "oom": oom = count
            default: break
            }
        }
    }

    /// What has happened since an earlier reading; `nil` for nothing that matters.
    ///
    /// A group that reads and writes files is at its limits all the time, and what gives way is mostly a copy
    /// of the files. So the limits count only where the group is short in earnest.
    ///
    /// - Parameters:
    ///   - earlier: The reading before this one.
    ///   - isShort: Whether the group is; asked only where it decides.
    /// - Returns: How urgent it is.
    func pressure(since earlier: CgroupMemoryEvents, isShort: () -> Bool) -> MemoryPressure? {
        if oom > earlier.oom { return .critical }
        return (max > earlier.max || high > earlier.high) && isShort() ? .warning : nil
    }
}
