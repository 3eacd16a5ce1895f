/// What other processes have added to a directory, or taken from it, since this one looked; pure.
///
/// Each writer tells by how much its own work has changed the directory (decision 0105). What the others have
/// told since a folder was looked through is spread evenly over the folders, as their names are; so the sum
/// is right on average while only a folder now and then is looked through again.
struct NeighbourLedger: Sendable {
    /// What others have told, by the names of their folders.
    private var told: [String: StoreUsage] = [:]
    /// What those had told who have died, which this process tells in their place.
    private var inherited = StoreUsage()
    /// What all had told when each folder was looked through.
    private var base = Array(repeating: StoreUsage(), count: DirectoryWalk.folderCount)
    private var baseSum = StoreUsage()
    /// What has been found gone since each folder was looked through; others have told of it too.
    private var gone = Array(repeating: StoreUsage(), count: DirectoryWalk.folderCount)
    private var goneSum = StoreUsage()

    /// What this process has added, or taken, since it last found itself alone.
    private(set) var own = StoreUsage()
    /// What was written since the last look for others.
    private var unlooked = StoreUsage()
    /// Whether this process has looked since it began to write.
    private var hasLooked = false
    /// Whether there has been anybody to tell; from then on this process tells at each look.
    private var isTelling = false
    /// Whether this process is to tell that it is there.
    private var isTellingDue = false

    /// Whether other processes write into the directory.
    var hasCompany: Bool { !told.isEmpty }

    /// What others may have added since the folders were looked through; negative where they have removed.
    var unseen: StoreUsage {
        guard total != StoreUsage() || baseSum != StoreUsage() else { return StoreUsage() }
        let mean = StoreUsage(
            entryCount: baseSum.entryCount / DirectoryWalk.folderCount,
            byteCount: baseSum.byteCount / DirectoryWalk.folderCount
        )
        return total - mean + goneSum
    }

    /// What this process is to tell: its own work, and that of the dead.
    var toTell: StoreUsage { (own + inherited).clamped }

    private var total: StoreUsage { told.values.reduce(inherited) { ($0 + $1).clamped } }

    /// Notes a change that this process has made; `written` are the bytes that it wrote for it.
    mutating func noteOwn(_ change: StoreUsage, writtenByteCount: Int?) {
        own = own + change
        guard let writtenByteCount else { return }
        unlooked = unlooked + StoreUsage(entryCount: 1, byteCount: writtenByteCount)
    }

    /// Notes that an entry which this process did not remove is gone.
    mutating func noteGone(_ usage: StoreUsage, in folder: Int) {
        gone[folder] = gone[folder] + usage
        goneSum = goneSum + usage
    }

    /// Notes that a folder has been looked through.
    mutating func didWalk(_ folder: Int) {
        let total = total
        baseSum = baseSum - base[folder] + total
        base[folder] = total
        goneSum = goneSum - gone[folder]
        gone[folder] = StoreUsage()
    }

    /// Whether this process has written so much since it last looked for others that it is to look again: a
    /// 1024th of a limit, or anything where it has never looked.
    func isLookDue(_ rules: DiskRules) -> Bool {
        guard hasLooked else { return unlooked.entryCount > 0 }
        return unlooked.byteCount > rules.sizeLimit / 1024 || unlooked.entryCount > rules.countLimit / 1024
    }

    /// Whether this process is to tell now, and has not been asked since the last look.
    mutating func takeTellingDue() -> Bool {
        defer { isTellingDue = false }
        return isTelling || isTellingDue
    }

    /// Takes in what a look has found.
    ///
    /// - Parameters:
    ///   - living: The writers that are alive, with what they told; `nil` where one tells nothing, as
    ///     programs do that know no such thing.
    ///   - dead: What those told that have been found dead, and whose folders are gone.
    ///   - rules: The limits.
    /// - Returns: The share of all folders that is to be looked through again.
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
        // What they did before they were first seen is in no folder that has been looked through.
        if isFirstAsWriter || isStrangerSilent { return 1 }
        let silentCount = living.values.count { $0 == nil }
        return 8 * max((total - before).share(of: rules), Double(silentCount) * written.share(of: rules))
    }
}

extension StoreUsage {
    /// The part of the limits that a change is, whichever is greater.
    fileprivate func share(of rules: DiskRules) -> Double {
        max(
            Double(byteCount.magnitude) / Double(max(1, rules.sizeLimit)),
            Double(entryCount.magnitude) / Double(max(1, rules.countLimit))
        )
    }
}

extension NeighbourLedger {
    /// How a writer tells: bytes and entries, each with a sign where it is negative.
    static func text(_ usage: StoreUsage) -> String { "\(usage.byteCount) \(usage.entryCount)\n" }

    /// What a text tells; `nil` for anything else, or for what no directory can hold.
    static func usage(parsing text: String) -> StoreUsage? {
        let words = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
        guard words.count == 2, let byteCount = words[0], let entryCount = words[1],
            (-byteCountMax...byteCountMax).contains(byteCount),
            (-byteCountMax...byteCountMax).contains(entryCount)
        else { return nil }
        return StoreUsage(entryCount: entryCount, byteCount: byteCount)
    }

    /// More than any file system holds, and small enough for the sum over all folders.
    fileprivate static let byteCountMax = 1 << 52
}

extension StoreUsage {
    /// Held within what can be told.
    fileprivate var clamped: StoreUsage {
        let most = NeighbourLedger.byteCountMax
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
