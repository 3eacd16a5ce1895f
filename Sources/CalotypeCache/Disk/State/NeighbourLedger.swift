/// The entries that other processes have added to a directory, or removed, since this one scanned it; pure.
///
/// Each writer reports by how much its own work has changed the directory (decision 0105). The others'
/// reports since a folder was scanned are spread evenly over the folders, as their names are. So the sum is
/// right on average while only a few folders are rescanned.
struct NeighbourLedger: Sendable {
    /// The reports of other writers, by the names of their folders.
    private var told: [String: StoreUsage] = [:]
    /// The sum of dead writers' reports, which this process includes in its own.
    private var inherited = StoreUsage()
    /// The sum of all reports when each folder was scanned.
    private var base = Array(repeating: StoreUsage(), count: DirectoryWalk.folderCount)
    private var baseSum = StoreUsage()
    /// The entries found missing since each folder was scanned; other writers have reported them too.
    private var gone = Array(repeating: StoreUsage(), count: DirectoryWalk.folderCount)
    private var goneSum = StoreUsage()

    /// The entries this process has added, or removed, since it was last the only writer.
    private(set) var own = StoreUsage()
    /// The writes since the last look for other writers.
    private var unlooked = StoreUsage()
    /// Whether this process has looked since it began to write.
    private var hasLooked = false
    /// Whether another writer has ever been found; from then on this process reports at each look.
    private var isTelling = false
    /// Whether this process must announce itself by a report.
    private var isTellingDue = false

    /// Whether other processes write into the directory.
    var hasCompany: Bool { !told.isEmpty }

    /// The entries that others may have added since the folders were scanned; negative for removals.
    var unseen: StoreUsage {
        guard total != StoreUsage() || baseSum != StoreUsage() else { return StoreUsage() }
        let mean = StoreUsage(
            entryCount: baseSum.entryCount / DirectoryWalk.folderCount,
            byteCount: baseSum.byteCount / DirectoryWalk.folderCount
        )
        return total - mean + goneSum
    }

    /// The report of this process: its own work, and that of dead writers.
    var toTell: StoreUsage { (own + inherited).clamped }

    private var total: StoreUsage { told.values.reduce(inherited) { ($0 + $1).clamped } }

    /// Records a change by this process; `writtenByteCount` has the bytes it wrote, if it was a write.
    mutating func noteOwn(_ change: StoreUsage, writtenByteCount: Int?) {
        own = own + change
        guard let writtenByteCount else { return }
        unlooked = unlooked + StoreUsage(entryCount: 1, byteCount: writtenByteCount)
    }

    /// Records that an entry which this process did not remove is gone.
    mutating func noteGone(_ usage: StoreUsage, in folder: Int) {
        gone[folder] = gone[folder] + usage
        goneSum = goneSum + usage
    }

    /// Records that a folder has been scanned.
    mutating func didWalk(_ folder: Int) {
        let total = total
        baseSum = baseSum - base[folder] + total
        base[folder] = total
        goneSum = goneSum - gone[folder]
        gone[folder] = StoreUsage()
    }

    /// Returns whether this process has written enough since its last look to look again: a 1024th of a
    /// limit, or anything if it has never looked.
    func isLookDue(_ rules: DiskRules) -> Bool {
        guard hasLooked else { return unlooked.entryCount > 0 }
        return unlooked.byteCount > rules.sizeLimit / 1024 || unlooked.entryCount > rules.countLimit / 1024
    }

    /// Returns whether this process must report now, and resets the request.
    mutating func takeTellingDue() -> Bool {
        defer { isTellingDue = false }
        return isTelling || isTellingDue
    }

    /// Applies the result of a look.
    ///
    /// - Parameters:
    ///   - living: The live writers with their reports; `nil` for programs that write none.
    ///   - dead: The sum of the reports of writers found dead, whose folders are gone.
    ///   - rules: The limits.
    /// - Returns: The share of all folders to rescan.
    mutating func didLook(
        living: [String: StoreUsage?],
        dead: StoreUsage,
        rules: DiskRules
    ) -> Double {
        let before = total
        let written = unlooked
        let isFirstAsWriter = !hasLooked && written.entryCount > 0
        hasLooked = hasLooked || isFirstAsWriter
        isTellingDue = isFirstAsWriter
        unlooked = StoreUsage()
        inherited = (inherited + dead).clamped
        let isStrangerSilent = living.contains { $0.value == nil && told[$0.key] == nil }
        told = living.reduce(into: [:]) { all, writer in
            all[writer.key] = writer.value ?? told[writer.key] ?? StoreUsage()
        }
        isTelling = isTelling || hasCompany
        if !isTelling { own = StoreUsage() }
        guard hasCompany else { return 0 }
        // Their changes before they were first seen are not in any folder scanned so far.
        if isFirstAsWriter || isStrangerSilent { return 1 }
        let silentCount = living.values.count { $0 == nil }
        return 8 * max((total - before).share(of: rules), Double(silentCount) * written.share(of: rules))
    }
}

extension StoreUsage {
    /// Returns the change as a fraction of the limits, for bytes or entries, whichever is greater.
    fileprivate func share(of rules: DiskRules) -> Double {
        max(
            Double(byteCount.magnitude) / Double(max(1, rules.sizeLimit)),
            Double(entryCount.magnitude) / Double(max(1, rules.countLimit))
        )
    }
}

extension NeighbourLedger {
    /// Returns the text of a report: bytes and entries, as signed numbers.
    static func text(_ usage: StoreUsage) -> String { "\(usage.byteCount) \(usage.entryCount)\n" }

    /// Parses a report; returns `nil` if it is malformed or exceeds what any directory can hold.
    static func usage(parsing text: String) -> StoreUsage? {
        let words = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
        guard words.count == 2, let byteCount = words[0], let entryCount = words[1],
            (-maxByteCount...maxByteCount).contains(byteCount),
            (-maxByteCount...maxByteCount).contains(entryCount)
        else { return nil }
        return StoreUsage(entryCount: entryCount, byteCount: byteCount)
    }

    /// More than any file system holds, and small enough for the sum over all folders.
    fileprivate static let maxByteCount = 1 << 52
}

extension StoreUsage {
    /// Clamped to the range of a report.
    fileprivate var clamped: StoreUsage {
        let most = NeighbourLedger.maxByteCount
        return StoreUsage(
            entryCount: max(-most, min(most, entryCount)),
            byteCount: max(-most, min(most, byteCount))
        )
    }

    static func + (left: StoreUsage, right: StoreUsage) -> StoreUsage {
        StoreUsage(
            entryCount: left.entryCount + right.entryCount,
            byteCount: left.byteCount + right.byteCount
        )
    }

    static func - (left: StoreUsage, right: StoreUsage) -> StoreUsage {
        StoreUsage(
            entryCount: left.entryCount - right.entryCount,
            byteCount: left.byteCount - right.byteCount
        )
    }
}
