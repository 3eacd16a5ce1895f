/// The counters of a control group's `memory.events` file.
///
/// - SeeAlso: "Memory Interface Files" in the kernel's documentation of cgroup v2.
struct CgroupMemoryEvents: Hashable, Sendable {
    /// The number of times the group was throttled and forced to reclaim because it exceeded `memory.high`.
    var high = 0
    /// The number of times the group was about to exceed `memory.max`.
    var max = 0
    /// The number of times an allocation was about to fail at that limit.
    var oom = 0

    init() {}

    /// Parses the text of the file; a missing counter is 0.
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

    /// Returns the pressure since an earlier reading; `nil` if there was none that matters.
    ///
    /// A group that reads and writes files is always at its limits, and what is reclaimed is mostly page
    /// cache. So the limits count only if the group is actually short of memory.
    ///
    /// - Parameters:
    ///   - earlier: The previous reading.
    ///   - isShort: Whether the group is short of memory; called only if the result depends on it.
    /// - Returns: The urgency.
    func pressure(since earlier: CgroupMemoryEvents, isShort: () -> Bool) -> MemoryPressure? {
        if oom > earlier.oom { return .critical }
        return (max > earlier.max || high > earlier.high) && isShort() ? .warning : nil
    }
}
