import CalotypeCore

/// Last uses of a folder's entries, kept in memory until there are enough to be worth a round of writing.
struct UnwrittenUses: Sendable {
    /// How many of one folder may wait.
    static let countMax = 64
    /// How long the first may wait.
    static let delayMax = Duration.seconds(60)

    private var times: [EntryName: Timestamp] = [:]
    /// Those on their way to the files; until they are there, a reader may see what a file knew before.
    private var leaving: [EntryName: Timestamp] = [:]
    private var firstAt: Timestamp?
    /// Whether somebody has been told that it is time to write them.
    private var isAsked = false

    /// The last use of an entry that its file may not know of.
    subscript(name: EntryName) -> Timestamp? { times[name] ?? leaving[name] }

    /// Notes a use; returns whether it is time to write them back.
    ///
    /// A clock that has stepped back makes it time too: nobody knows how long the first has waited.
    mutating func note(_ name: EntryName, at time: Timestamp) -> Bool {
        times[name] = time
        let first = firstAt ?? time
        firstAt = first
        let isTime =
            times.count >= Self.countMax || time < first || time.duration(since: first) >= Self.delayMax
        guard isTime, !isAsked else { return false }
        isAsked = true
        return true
    }

    /// Notes a use unless one is to be written anyway; returns whether it was.
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

    /// The uses to write; one thread at a time writes them.
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
