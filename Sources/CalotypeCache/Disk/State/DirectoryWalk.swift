/// The schedule that decides which of the 256 folders of a directory to scan next; pure.
///
/// All folders are scanned once to count the entries. Later some are rescanned, in proportion to the writes
/// of other processes. A folder that could not be listed is retried, each time after twice as many writes.
struct DirectoryWalk: Sendable {
    static let folderCount = 256

    struct Turn: Sendable {
        let folder: Int
        fileprivate let round: Int
    }

    private struct Failure {
        var error: FileError
        var attemptCount = 0
        /// The number of writes before the next attempt.
        var delay = 0
    }

    /// The number of the current count of all folders.
    private var round = 0
    /// The next folder of that count; 256 once all have had their turn, `nil` before the first count.
    private var next: Int?
    private var finishedCount = 0
    private var known: Set<Int> = []
    private var failures: [Int: Failure] = [:]
    /// The next folder to be rescanned.
    private var cursor = 0
    /// The number of folders due for a rescan.
    private var debt = 0.0

    /// Whether every folder has been scanned or has failed since the last ``begin()``.
    var isCounted: Bool { finishedCount == Self.folderCount }

    /// The number of folders that could never be listed, so that their contents are unknown.
    var unknownCount: Int { failures.keys.count { !known.contains($0) } }

    /// The error of the last attempt on the first folder that could not be listed.
    var problem: FileError? { failures.min { $0.key < $1.key }?.value.error }

    /// Whether all folders failed: then no entry can be counted and no limit enforced.
    var isBlind: Bool { isCounted && known.isEmpty }

    /// Starts counting all folders, again if that was done before.
    mutating func begin() {
        round += 1
        next = 0
        finishedCount = 0
        debt = 0
    }

    /// Requests a rescan of a share of all folders; 1 is all of them, which is also the most that can be due.
    mutating func owe(share: Double) {
        debt = min(Double(Self.folderCount), debt + share * Double(Self.folderCount))
    }

    var isTurnDue: Bool {
        next.map { $0 < Self.folderCount } ?? false || debt >= 1 || failures.values.contains { $0.delay <= 0 }
    }

    /// Returns the next folder that is due; ``end(_:_:)`` must follow.
    mutating func nextTurn() -> Turn? {
        if let folder = next, folder < Self.folderCount {
            next = folder + 1
            return Turn(folder: folder, round: round)
        }
        if let folder = failures.first(where: { $0.value.delay <= 0 })?.key {
            // Not before this attempt has ended.
            failures[folder]?.delay = .max
            return Turn(folder: folder, round: round)
        }
        guard debt >= 1 else { return nil }
        debt -= 1
        defer { cursor = (cursor + 1) % Self.folderCount }
        return Turn(folder: cursor, round: round)
    }

    /// Ends a turn; returns whether it was the last one of a count.
    mutating func end(_ turn: Turn, _ error: FileError?) -> Bool {
        if let error {
            let attemptCount = (failures[turn.folder]?.attemptCount ?? 0) + 1
            let delay = 1 << min(attemptCount, 12)
            failures[turn.folder] = Failure(error: error, attemptCount: attemptCount, delay: delay)
        } else {
            failures[turn.folder] = nil
            known.insert(turn.folder)
        }
        guard turn.round == round, !isCounted else { return false }
        finishedCount += 1
        return isCounted
    }

    /// Counts a write; failed folders are retried after a number of writes.
    mutating func countWrite() {
        guard !failures.isEmpty else { return }
        for folder in failures.keys where failures[folder]?.delay != .max { failures[folder]?.delay -= 1 }
    }
}
