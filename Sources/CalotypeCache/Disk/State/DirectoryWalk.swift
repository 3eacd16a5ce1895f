/// Which of the 256 folders of a directory are to be looked through, and in what order; pure.
///
/// All of them once to count the entries; later some at a time, as many as others have written for; and one
/// that could not be listed again and again, each time after twice as many writes.
struct DirectoryWalk: Sendable {
    static let folderCount = 256

    /// A folder's turn.
    struct Turn: Sendable {
        let folder: Int
        fileprivate let round: Int
    }

    private struct Failure {
        var error: FileError
        var attemptCount = 0
        /// How many writes there will be before the next attempt.
        var delay = 0
    }

    /// Which count of all folders is under way.
    private var round = 0
    /// The next folder of that count; 256 once each has had its turn, `nil` before the first count.
    private var next: Int?
    private var finishedCount = 0
    private var known: Set<Int> = []
    private var failures: [Int: Failure] = [:]
    /// The next folder to be looked through again.
    private var cursor = 0
    /// How many are to be, in folders.
    private var debt = 0.0

    /// Whether every folder has been looked through, or has failed, since the last ``begin()``.
    var isCounted: Bool { finishedCount == Self.folderCount }

    /// How many folders could never be listed, so that nobody knows what is in them.
    var unknownCount: Int { failures.keys.count { !known.contains($0) } }

    /// Why a folder could not be listed at the last attempt; the first of them.
    var problem: FileError? { failures.min { $0.key < $1.key }?.value.error }

    /// Whether all folders failed: then nothing can be counted, and no limit held.
    var isBlind: Bool { isCounted && known.isEmpty }

    /// Begins to count everything, once more where that was done.
    mutating func begin() {
        round += 1
        next = 0
        finishedCount = 0
        debt = 0
    }

    /// Asks for a part of all folders to be looked through again; 1 is all of them, and no more are owed.
    mutating func owe(share: Double) {
        debt = min(Double(Self.folderCount), debt + share * Double(Self.folderCount))
    }

    /// Whether it is any folder's turn.
    var isTurnDue: Bool {
        next.map { $0 < Self.folderCount } ?? false || debt >= 1 || failures.values.contains { $0.delay <= 0 }
    }

    /// Whose turn it is; ``end(_:_:)`` must follow.
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

    /// Ends a turn; returns whether that was the last of a count.
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

    /// Counts a write, after so many of which a folder that failed is tried again.
    mutating func countWrite() {
        guard !failures.isEmpty else { return }
        for folder in failures.keys where failures[folder]?.delay != .max { failures[folder]?.delay -= 1 }
    }
}
