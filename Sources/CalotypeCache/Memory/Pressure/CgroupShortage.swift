/// Whether a control group lacks memory in earnest, not only room for copies of files.
///
/// - SeeAlso: "Memory Interface Files" in the kernel's documentation of cgroup v2.
enum CgroupShortage {
    /// The part of the limit that must be held by what the kernel cannot drop: four fifths.
    private static func isNear(_ byteCount: Int, limit: Int) -> Bool {
        byteCount >= limit - limit / 5
    }

    /// The share of the last ten seconds in which something waited for memory that is too much, in
    /// hundredths: as in ``StallTrigger/warning``.
    private static let stallPercentage = 7.5

    /// Whether what cannot be dropped is near the limit, or something has waited for memory lately.
    ///
    /// - Parameters:
    ///   - statistics: The text of the group's `memory.stat`.
    ///   - stalls: The text of its `memory.pressure`; `nil` where the kernel keeps none.
    ///   - limit: Its limit in bytes; `nil` for none.
    /// - Returns: Whether one of the two holds; `false` where no text says so.
    static func isShort(statistics: String?, stalls: String?, limit: Int?) -> Bool {
        if let stalls, stallPercentage(parsing: stalls) >= stallPercentage { return true }
        guard let statistics, let limit else { return false }
        return isNear(heldByteCount(parsing: statistics), limit: limit)
    }

    /// The bytes that the kernel can drop for nobody: what programs wrote, and its own for them.
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

    /// The hundredths of the last ten seconds in which something waited; 0 where the text does not say.
    static func stallPercentage(parsing stalls: String) -> Double {
        for line in stalls.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some" else { continue }
            for word in words where word.hasPrefix("avg10=") { return Double(word.dropFirst(6)) ?? 0 }
        }
        return 0
    }
}
