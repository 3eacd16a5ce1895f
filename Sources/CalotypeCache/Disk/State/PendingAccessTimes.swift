import CalotypeCore

/// The last uses of a folder's entries, collected in memory until enough are pending to write them back.
struct PendingAccessTimes: Sendable {
    /// The number of pending uses that triggers a write-back.
    static let maxCount = 64
    /// The age of the oldest pending use that triggers a write-back.
    static let maxDelay = Duration.seconds(60)

    private var times: [EntryName: Timestamp] = [:]
    /// The uses being written; until that is done, a reader may see an older time in a file.
    private var leaving: [EntryName: Timestamp] = [:]
    private var firstAt: Timestamp?
    /// Whether a write-back has been requested.
    private var isAsked = false

    /// The last use of an entry that may not be in its file yet.
    subscript(name: EntryName) -> Timestamp? { times[name] ?? leaving[name] }

    /// Records a use; returns whether it is time to write uses back.
    ///
    /// It is also time if the clock has stepped back, since the age of the oldest use is then unknown.
    mutating func note(_ name: EntryName, at time: Timestamp) -> Bool {
        times[name] = time
        let first = firstAt ?? time
        firstAt = first
        let isTime =
            times.count >= Self.maxCount || time < first || time.duration(since: first) >= Self.maxDelay
        guard isTime, !isAsked else { return false }
        isAsked = true
        return true
    }

    /// Records a use unless one is pending already; returns whether it was recorded.
    mutating func noteUnlessKnown(_ name: EntryName, at time: Timestamp) -> Bool {
        guard self[name] == nil else { return false }
        _ = note(name, at: time)
        return true
    }

    mutating func forget(_ name: EntryName) {
        times[name] = nil
        leaving[name] = nil
    }

    mutating func forgetAll() {
        times = [:]
        firstAt = nil
        isAsked = false
    }

    /// Returns the uses to write; only one thread writes at a time.
    mutating func beginWriting() -> [EntryName: Timestamp] {
        assert(leaving.isEmpty, "two threads write uses")
        leaving = times
        times = [:]
        firstAt = nil
        isAsked = false
        return leaving
    }

    mutating func endWriting() {
        leaving = [:]
    }
}
