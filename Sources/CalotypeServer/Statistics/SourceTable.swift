/// The most frequent sources of a stream of any length, in bounded memory.
///
/// Where the table is full, a new source takes the place of the rarest and its count, which is then too high
/// by at most ``Entry/excess`` (the space-saving algorithm): what is truly frequent stays.
public struct SourceTable: Hashable, Sendable {
    /// What is known of one source.
    public struct Entry: Hashable, Sendable {
        /// The source, as its records name it.
        public var source: String
        /// How many answers it had, ``excess`` included.
        public var count: Int
        /// How much of the count may be others'.
        public var excess: Int
        /// The bytes of its answers since it has its place.
        public var byteCount: Int
        /// The longest of them.
        public var longest: Duration
        /// How many of them were made, and not kept.
        public var missCount: Int
    }

    private let countMax: Int
    private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    init(countMax: Int) {
        self.countMax = countMax
    }

    mutating func add(_ source: String, _ record: ServiceRecord) {
        if let place = places[source] {
            entries[place].count += 1
            entries[place].add(record)
            return
        }
        var entry = Entry(source: source, count: 1, excess: 0, byteCount: 0, longest: .zero, missCount: 0)
        entry.add(record)
        guard entries.count == countMax, let rarest = entries.indices.min(by: isRarer) else {
            places[source] = entries.count
            return entries.append(entry)
        }
        entry.excess = entries[rarest].count
        entry.count += entry.excess
        places[entries[rarest].source] = nil
        places[source] = rarest
        entries[rarest] = entry
    }

    /// The most frequent, the first ones first.
    public func mostFrequent(_ count: Int) -> [Entry] {
        Array(entries.sorted { $0.count > $1.count }.prefix(count))
    }

    private func isRarer(_ left: Int, _ right: Int) -> Bool { entries[left].count < entries[right].count }
}

extension SourceTable.Entry {
    fileprivate mutating func add(_ record: ServiceRecord) {
        byteCount += record.byteCount
        longest = max(longest, record.duration)
        if record.cache == .miss { missCount += 1 }
    }
}

/// The sources with the longest answers, each once with its longest.
public struct SlowestSources: Hashable, Sendable {
    /// One of them.
    public struct Entry: Hashable, Sendable {
        /// The source, as its records name it.
        public var source: String
        /// Its longest answer.
        public var duration: Duration
        /// What the steps of that answer took.
        public var timings: ServiceTimings
    }

    private let countMax: Int
    /// The longest first.
    public private(set) var entries: [Entry] = []

    init(countMax: Int) {
        self.countMax = countMax
    }

    mutating func add(_ source: String, _ record: ServiceRecord) {
        let isFull = entries.count == countMax
        if isFull, let last = entries.last, record.duration <= last.duration { return }
        if let known = entries.firstIndex(where: { $0.source == source }) {
            guard entries[known].duration < record.duration else { return }
            entries.remove(at: known)
        } else if isFull {
            entries.removeLast()
        }
        let place = entries.firstIndex { $0.duration < record.duration } ?? entries.count
        let entry = Entry(source: source, duration: record.duration, timings: record.timings)
        entries.insert(entry, at: place)
    }
}
