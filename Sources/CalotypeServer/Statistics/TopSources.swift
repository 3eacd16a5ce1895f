package import Calotype

/// The most frequent sources of an unbounded stream, in bounded memory.
///
/// If the table is full, a new source replaces the rarest one and takes over its count, which is then too
/// high by at most ``Entry/excess`` (the space-saving algorithm): frequent sources remain.
package struct TopSources: Hashable, Sendable {
    /// The counts of one source.
    package struct Entry: Hashable, Sendable {
        /// The source, as in its records.
        package var source: String
        /// The number of responses, including ``excess``.
        package var count: Int
        /// The part of the count that may belong to other sources.
        package var excess: Int
        /// The bytes of its responses since it entered the table.
        package var byteCount: Int
        /// The longest duration of these responses.
        package var longest: Duration
        /// The number of these responses that missed all caches.
        package var missCount: Int
    }

    private let maxCount: Int
    private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    init(maxCount: Int) {
        self.maxCount = maxCount
    }

    mutating func add(_ source: String, _ record: ServiceRecord) {
        if let place = places[source] {
            entries[place].count += 1
            entries[place].add(record)
            return
        }
        var entry = Entry(source: source, count: 1, excess: 0, byteCount: 0, longest: .zero, missCount: 0)
        entry.add(record)
        guard entries.count == maxCount, let rarest = entries.indices.min(by: isRarer) else {
            places[source] = entries.count
            return entries.append(entry)
        }
        entry.excess = entries[rarest].count
        entry.count += entry.excess
        places[entries[rarest].source] = nil
        places[source] = rarest
        entries[rarest] = entry
    }

    /// Returns the most frequent sources, in descending order.
    package func mostFrequent(_ count: Int) -> [Entry] {
        Array(entries.sorted { $0.count > $1.count }.prefix(count))
    }

    private func isRarer(_ left: Int, _ right: Int) -> Bool { entries[left].count < entries[right].count }
}

extension TopSources.Entry {
    fileprivate mutating func add(_ record: ServiceRecord) {
        byteCount += record.byteCount
        longest = max(longest, record.duration)
        if record.cache == .miss { missCount += 1 }
    }
}

/// The sources with the longest responses, each once with its longest.
package struct SlowestSources: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The source, as in its records.
        package var source: String
        /// The duration of its longest response.
        package var duration: Duration
        /// The durations of the steps of that response.
        package var timings: StageTimings
    }

    private let maxCount: Int
    /// The entries, the longest first.
    package private(set) var entries: [Entry] = []

    init(maxCount: Int) {
        self.maxCount = maxCount
    }

    mutating func add(_ source: String, _ record: ServiceRecord) {
        let isFull = entries.count == maxCount
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
