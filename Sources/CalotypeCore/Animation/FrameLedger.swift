/// The cached frames, in order of use.
struct FrameLedger {
    struct Key: Hashable {
        let animation: ObjectIdentifier
        let index: Int
    }

    private struct Entry {
        let frame: Image
        /// The number of its last use.
        var turn: Int
    }

    /// The maximum total of bytes.
    var maxByteCount: Int {
        didSet { trim(toByteCount: maxByteCount) }
    }

    /// The total of bytes of the cached frames.
    private(set) var byteCount = 0

    private var entries: [ObjectIdentifier: [Int: Entry]] = [:]
    private var entryCount = 0
    /// The frame of each use, oldest first; a frame that was used again occurs more than once.
    private var turns: [Key] = []
    /// The number of the first of `turns`.
    private var firstTurn = 0
    private var departed: [Image] = []

    init(maxByteCount: Int) {
        self.maxByteCount = maxByteCount
    }

    /// Returns a cached frame and makes it the most recently used.
    mutating func frame(_ key: Key) -> Image? {
        guard let frame = entries[key.animation]?[key.index]?.frame else { return nil }
        let turn = newTurn(key)
        entries[key.animation]?[key.index]?.turn = turn
        return frame
    }

    /// Inserts a frame and evicts the least recently used ones for it.
    ///
    /// A frame larger than the whole budget is not cached.
    mutating func insert(_ frame: Image, for key: Key) {
        remove(key)
        let byteCount = frame.pixels.byteCount
        guard byteCount <= maxByteCount else { return }
        trim(toByteCount: maxByteCount - byteCount)
        let entry = Entry(frame: frame, turn: newTurn(key))
        entries[key.animation, default: [:]][key.index] = entry
        entryCount += 1
        self.byteCount += byteCount
    }

    mutating func removeFrames(of animation: ObjectIdentifier) {
        for index in entries[animation].map({ Array($0.keys) }) ?? [] {
            remove(Key(animation: animation, index: index))
        }
    }

    mutating func removeAll() {
        for animation in Array(entries.keys) { removeFrames(of: animation) }
    }

    /// Returns the frames evicted since the last call, to be released by the caller.
    mutating func takeDeparted() -> [Image] {
        defer { departed = [] }
        return departed
    }

    private mutating func remove(_ key: Key) {
        guard let entry = entries[key.animation]?.removeValue(forKey: key.index) else { return }
        if entries[key.animation]?.isEmpty == true { entries[key.animation] = nil }
        entryCount -= 1
        byteCount -= entry.frame.pixels.byteCount
        departed.append(entry.frame)
    }

    /// Evicts the least recently used frames until at most this many bytes remain.
    mutating func trim(toByteCount maxByteCount: Int) {
        var passed = 0
        while byteCount > maxByteCount, passed < turns.count {
            let key = turns[passed]
            if entries[key.animation]?[key.index]?.turn == firstTurn + passed { remove(key) }
            passed += 1
        }
        turns.removeFirst(passed)
        firstTurn += passed
    }

    /// Outdated entries are removed once they are the majority, so that each entry moves once on average.
    private mutating func newTurn(_ key: Key) -> Int {
        if turns.count > 64, turns.count > 2 * entryCount { removePastTurns() }
        turns.append(key)
        return firstTurn + turns.count - 1
    }

    private mutating func removePastTurns() {
        let kept = turns.indices.filter { index in
            let key = turns[index]
            return entries[key.animation]?[key.index]?.turn == firstTurn + index
        }
        let start = firstTurn + turns.count
        for (position, index) in kept.enumerated() {
            let key = turns[index]
            entries[key.animation]?[key.index]?.turn = start + position
        }
        turns = kept.map { turns[$0] }
        firstTurn = start
    }
}
