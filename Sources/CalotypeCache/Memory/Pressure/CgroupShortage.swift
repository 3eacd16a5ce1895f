/// Detects whether a control group is actually short of memory, not only of page cache.
///
/// - SeeAlso: "Memory Interface Files" in the kernel's documentation of cgroup v2.
enum CgroupShortage {
    // The part of the limit that unreclaimable memory must reach: four fifths.
    private static func isNear(_ byteCount: Int, limit: Int) -> Bool {
        byteCount >= limit - limit / 5
    }

    /// The threshold for the share of the last ten seconds in which a task waited for memory, in percent: as
    /// in ``StallTrigger/warning``.
    private static let stallPercentage = 7.5

    /// Returns whether unreclaimable memory is near the limit, or a task has waited for memory recently.
    ///
    /// - Parameters:
    ///   - statistics: The text of the group's `memory.stat`.
    ///   - stalls: The text of its `memory.pressure`; `nil` if the kernel has none.
    ///   - limit: Its limit in bytes; `nil` for none.
    /// - Returns: Whether one of the two holds; `false` without a text that shows it.
    static func isShort(statistics: String?, stalls: String?, limit: Int?) -> Bool {
        if let stalls, stallPercentage(parsing: stalls) >= stallPercentage { return true }
        guard let statistics, let limit else { return false }
        return isNear(heldByteCount(parsing: statistics), limit: limit)
    }

    /// Returns the unreclaimable bytes: memory written by programs, and kernel memory used for them.
    static func heldByteCount(parsing statistics: String) -> Int {
        let names: Set<Substring> = ["anon", "shmem", "slab_unreclaimable", "kernel_stack", "pagetables"]
        return statistics.split(separator: "\n").reduce(0) { sum, line in
            let words = line.split(separator: " ")
            guard words.count == 2, names.contains(words[0]), let count = Int(words[1]), count >= 0 else {
                return sum
            }
            let (total, isBeyond) = sum.addingReportingOverflow(count)
            return isBeyond ? .max : total
        }
    }

    /// Returns the percentage of the last ten seconds in which a task waited; 0 if the text has none.
    static func stallPercentage(parsing stalls: String) -> Double {
        for line in stalls.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some" else { continue }
            for word in words where word.hasPrefix("avg10=") { return Double(word.dropFirst(6)) ?? 0 }
        }
        return 0
    }
}
