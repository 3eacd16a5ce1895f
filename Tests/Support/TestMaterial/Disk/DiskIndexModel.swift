import CalotypeCache
import CalotypeCore

/// An index of a folder with a naive twin, which uses a dictionary and inspects all entries.
package struct DiskIndexModel {
    package struct Disagreement: Error, CustomStringConvertible {
        package let description: String
    }

    /// An operation on an entry, by the number of its key.
    package enum Operation: Sendable {
        case insert(Int, byteCount: Int, time: Int64)
        case merge(Int, byteCount: Int, time: Int64)
        case touch(Int, time: Int64)
        case remove(Int)
        case putOff(Int, priority: Int64)
        case evict(byteCount: Int, count: Int)
        case reserve(Int)
        /// Merges the entries with these remainders, and removes the unseen ones.
        case walk(divisor: Int, remainder: Int)
    }

    private struct Twin {
        var entry: DiskIndexEntry
        var priority: Int64
    }

    private var index = DiskIndex(policy: LRUDiskPolicy())
    private var twins: [EntryName: Twin] = [:]
    private let names: [EntryName]
    private var inode: UInt64 = 0

    /// Creates an empty model; keys are numbers below `keyCount`.
    package init(keyCount: Int) {
        names = (0..<keyCount).map { EntryName(key: "\($0).jpeg") }
    }

    /// Applies an operation to both.
    ///
    /// - Throws: ``Disagreement``.
    package mutating func apply(_ operation: Operation) throws {
        switch operation {
        case .insert(let key, let byteCount, let time): insert(entry(key, byteCount, time))
        case .merge(let key, let byteCount, let time): merge(entry(key, byteCount, time))
        case .touch(let key, let time): touch(names[key], Timestamp(nanosecondsSince1970: time))
        case .remove(let key):
            let removed = index.remove(names[key])
            try require(removed == twins.removeValue(forKey: names[key])?.entry, operation)
        case .putOff(let key, let priority): putOff(names[key], to: priority)
        case .evict(let byteCount, let count): try evict(toByteCount: byteCount, count: count, operation)
        case .reserve(let count): index.reserveCapacity(count)
        case .walk(let divisor, let remainder): try walk(divisor: divisor, remainder: remainder, operation)
        }
        let usage = StoreUsage(entryCount: twins.count, byteCount: index.byteCount)
        try require(index.usage == usage, operation)
    }

    /// Compares both completely; takes linear time.
    ///
    /// - Throws: ``Disagreement``.
    package func check() throws {
        guard index.checkInvariants(), Set(index.entries) == Set(twins.values.map(\.entry)),
            index.byteCount == twins.values.reduce(0, { $0 + $1.entry.byteCount }),
            names.allSatisfy({ index.entry($0) == twins[$0]?.entry })
        else { throw Disagreement(description: "the entries") }
    }

    private func require(_ isTrue: Bool, _ operation: Operation) throws {
        if !isTrue { throw Disagreement(description: "\(operation)") }
    }

    private mutating func entry(_ key: Int, _ byteCount: Int, _ time: Int64) -> DiskIndexEntry {
        inode += 1
        let time = Timestamp(nanosecondsSince1970: time)
        return DiskIndexEntry(
            name: names[key],
            byteCount: byteCount,
            accessedAt: time,
            identity: FileIdentity(inode: inode, writtenAt: time)
        )
    }

    private mutating func insert(_ entry: DiskIndexEntry) {
        index.insert(entry)
        note(entry)
    }

    private mutating func merge(_ entry: DiskIndexEntry) {
        index.merge(entry)
        var merged = entry
        if let known = twins[entry.name]?.entry.accessedAt {
            merged.accessedAt = max(known, entry.accessedAt)
        }
        note(merged)
    }

    /// An entry's priority is its last use, or a later priority that it was put off to.
    private mutating func note(_ entry: DiskIndexEntry) {
        twins[entry.name] = Twin(entry: entry, priority: entry.accessedAt.nanosecondsSince1970)
    }

    private mutating func touch(_ name: EntryName, _ time: Timestamp) {
        index.touch(name, at: time)
        guard let twin = twins[name], twin.entry.accessedAt < time else { return }
        twins[name]?.entry.accessedAt = time
        twins[name]?.priority = max(twin.priority, time.nanosecondsSince1970)
    }

    private mutating func putOff(_ name: EntryName, to priority: Int64) {
        index.putOff(name, to: priority)
        guard let twin = twins[name] else { return }
        twins[name]?.priority = max(twin.priority, priority)
    }

    private mutating func evict(toByteCount byteCount: Int, count: Int, _ operation: Operation) throws {
        for entry in index.evict(toByteCount: byteCount, count: count) {
            guard let twin = twins.removeValue(forKey: entry.name) else {
                throw Disagreement(description: "\(operation): \(entry.name) was not there")
            }
            // Any of several entries with the same priority may be evicted.
            let isLeast = twins.values.allSatisfy { $0.priority >= twin.priority }
            try require(isLeast && twin.entry == entry, operation)
        }
        try require(index.byteCount <= byteCount || twins.isEmpty, operation)
        try require(twins.count <= count, operation)
    }

    private mutating func walk(divisor: Int, remainder: Int, _ operation: Operation) throws {
        index.beginWalk()
        for key in names.indices where key % divisor == remainder {
            guard let twin = twins[names[key]] else { continue }
            index.merge(twin.entry)
            note(twin.entry)
        }
        var next: Int? = 0
        while let start = next {
            var unseen: [EntryName] = []
            next = index.forEach(from: start, count: 5) { entry, isSeen in
                if !isSeen { unseen.append(entry.name) }
            }
            for name in unseen {
                index.remove(name)
                try require(twins.removeValue(forKey: name) != nil, operation)
            }
        }
        let seen = names.indices.filter { $0 % divisor == remainder }.map { names[$0] }
        try require(twins.keys.allSatisfy(seen.contains), operation)
    }
}

extension DiskIndexModel.Operation {
    package init(keyCount: Int, time: Int64, _ choices: inout some Choices) {
        let key = choices.choice(of: keyCount)
        switch choices.choice(of: 64) {
        case 0..<20: self = .insert(key, byteCount: choices.choice(of: 1000), time: time)
        case 20..<28:
            let past = Int64(choices.choice(of: 100))
            self = .merge(key, byteCount: choices.choice(of: 1000), time: time - past)
        case 28..<48: self = .touch(key, time: time - Int64(choices.choice(of: 4)))
        case 48..<56: self = .remove(key)
        case 56..<59: self = .putOff(key, priority: time + Int64(choices.choice(of: 20)))
        case 59..<62: self = .evict(byteCount: choices.choice(of: 30_000), count: choices.choice(of: 100))
        case 62: self = .reserve(choices.choice(of: 200))
        default: self = .walk(divisor: 1 + choices.choice(of: 3), remainder: 0)
        }
    }
}
