public import CalotypeCore
internal import CalotypeSupport
internal import FoundationEssentials

/// Several byte stores as one, with a rule for each kind of operation.
///
/// An `ImageCache` asks a list of stores nearest first and writes to the first that takes it; this is for
/// what that cannot say: a shared store that is filled as well, one in front of it that is filled by reading,
/// a store that is only read. It is itself a store, so that tiers can be parts of others.
///
/// ```swift
/// let store = TieredByteStore([disk, redis], reading: .readThrough, writing: .writeBack)
/// let cache = ImageCache(disk: store)
/// ```
///
/// Operations on one key take effect in the order in which they were issued. Stores that are not writable are
/// never written to, whatever the rule.
public final class TieredByteStore: ByteStore {
    /// Which stores are asked.
    public enum Reading: Hashable, Sendable {
        /// One after the other; the first that has the key answers.
        case nearestFirst
        /// As `nearestFirst`, and those before the one that answered get what it had, with its metadata and
        /// for the time that it has left there.
        case readThrough
        /// The one with this index alone.
        case only(Int)
    }

    /// Which stores are written to.
    public enum Writing: Hashable, Sendable {
        /// The first that is writable.
        case first
        /// Each, before the call returns.
        case writeThrough
        /// The first that is writable before the call returns, the others after that; ``flush()`` waits for
        /// them.
        ///
        /// Up to 64 MiB wait; beyond that calls wait as with `writeThrough`. What waits is lost with the
        /// process.
        case writeBack
        /// The one with this index alone.
        case only(Int)
    }

    /// Which stores forget a key.
    public enum Removing: Hashable, Sendable {
        /// Each.
        case all
        /// The one with this index alone.
        case only(Int)
    }

    /// A short word for logs and results.
    public let name: String
    /// The stores, nearest first.
    public let stores: [any ByteStore]
    let reading: Reading
    let writing: Writing
    let removing: Removing
    private let timeSource: any TimeSource
    let turns = KeyTurns()
    let waiting = Guarded(WaitingWrites())

    /// Creates a store of several.
    ///
    /// - Parameters:
    ///   - stores: The stores, nearest first.
    ///   - name: A short word for logs and results.
    ///   - reading: Which are asked.
    ///   - writing: Which are written to.
    ///   - removing: Which forget.
    ///   - timeSource: The time of day, by which what is filled has time left.
    /// - Precondition: There is at least one store, and each index is that of one.
    public init(
        _ stores: [any ByteStore],
        name: String = "tiers",
        reading: Reading = .nearestFirst,
        writing: Writing = .first,
        removing: Removing = .all,
        timeSource: any TimeSource = SystemTimeSource()
    ) {
        precondition(!stores.isEmpty, "tiers of no stores")
        var indices: [Int] = []
        if case .only(let index) = reading { indices.append(index) }
        if case .only(let index) = writing { indices.append(index) }
        if case .only(let index) = removing { indices.append(index) }
        precondition(indices.allSatisfy(stores.indices.contains), "a rule names a store that is not there")
        (self.stores, self.name, self.timeSource) = (stores, name, timeSource)
        (self.reading, self.writing, self.removing) = (reading, writing, removing)
    }

    /// Whether a store that is written to is writable.
    public var isWritable: Bool { !targets.isEmpty }

    /// What the first store has that is asked and has the key.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func blob(forKey key: String) async throws -> Blob? {
        try await turns.inTurn(.key(ImageKey(key))) {
            guard let (blob, index) = try await ask({ try await $0.blob(forKey: key) }) else { return nil }
            if reading == .readThrough { await fill(stores[..<index], with: blob, forKey: key) }
            return blob
        }
    }

    /// What the first store knows that is asked and has the key.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func blobInfo(forKey key: String) async throws -> BlobInfo? {
        try await turns.inTurn(.key(ImageKey(key))) {
            try await ask { try await $0.blobInfo(forKey: key) }?.answer
        }
    }

    /// Whether a store that is asked has the key.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func contains(_ key: String) async throws -> Bool {
        try await turns.inTurn(.key(ImageKey(key))) {
            try await ask { try await $0.contains(key) ? true : nil } != nil
        }
    }

    /// The entries of the store that has the most, as others have the same, and the bytes of all together.
    ///
    /// - Throws: What a store throws.
    public func usage() async throws -> StoreUsage {
        var sum = StoreUsage()
        for store in stores { sum.add(try await store.usage(), isSame: true) }
        return sum
    }

    /// The stores that a write goes to, nearest first.
    var targets: [any ByteStore] {
        switch writing {
        case .only(let index): stores[index].isWritable ? [stores[index]] : []
        case .first: Array(stores.filter(\.isWritable).prefix(1))
        case .writeThrough, .writeBack: stores.filter(\.isWritable)
        }
    }

    private func ask<Answer>(
        _ question: (any ByteStore) async throws -> Answer?
    ) async throws -> (answer: Answer, index: Int)? {
        var failure: (any Error)?
        for index in stores.indices {
            if case .only(let only) = reading, only != index { continue }
            do {
                if let answer = try await question(stores[index]) { return (answer, index) }
            } catch let error as CancellationError {
                throw error
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Gives nearer stores what a farther one has; one that does not take it has missed a chance, no more.
    private func fill(_ nearer: ArraySlice<any ByteStore>, with blob: Blob, forKey key: String) async {
        let left = blob.expiresAt?.duration(since: timeSource.now())
        if let left, left <= .zero { return }
        let options = BlobOptions(metadata: blob.metadata, expiry: left.map { .afterWrite($0) })
        for store in nearer where store.isWritable {
            do { try await store.store(blob.data, forKey: key, options: options) } catch { continue }
        }
    }
}

extension StoreUsage {
    /// Adds what another store keeps: of the same entries, or of others.
    mutating func add(_ other: StoreUsage, isSame: Bool = false) {
        entryCount = isSame ? max(entryCount, other.entryCount) : entryCount + other.entryCount
        byteCount += other.byteCount
        isPartial = isPartial || other.isPartial
    }
}
