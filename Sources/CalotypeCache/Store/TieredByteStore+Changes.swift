internal import CalotypeSupport
public import FoundationEssentials

/// What a tiered store has still to write behind its callers, by key; pure.
struct WaitingWrites: Sendable {
    /// More bytes than this do not wait.
    static let byteCountMax = 64 << 20

    private var writes: [String: (data: Data, options: BlobOptions)] = [:]
    private var order: [String] = []
    private(set) var byteCount = 0
    /// The first failure since somebody was told of one.
    var failure: (any Error)?
    /// What writes; `nil` where nothing waits.
    var worker: Task<Void, Never>?

    /// Takes a write in place of an earlier one; `false` where there is no room.
    mutating func add(_ data: Data, _ options: BlobOptions, for key: String) -> Bool {
        let old = writes[key]?.data.count
        guard byteCount - (old ?? 0) + data.count <= Self.byteCountMax else { return false }
        byteCount += data.count - (old ?? 0)
        writes[key] = (data, options)
        if old == nil { order.append(key) }
        return true
    }

    /// The key that has waited longest.
    var first: String? { order.first }

    /// Takes the write of a key out, where there is one.
    mutating func take(_ key: String) -> (data: Data, options: BlobOptions)? {
        guard let write = writes.removeValue(forKey: key) else { return nil }
        byteCount -= write.data.count
        order.removeAll { $0 == key }
        return write
    }

    /// Takes all out.
    mutating func removeAll() {
        (writes, order, byteCount) = ([:], [], 0)
    }

    /// Takes those out that a closure picks.
    mutating func removeAll(where isRemoved: (String) -> Bool) {
        for key in order.filter(isRemoved) { _ = take(key) }
    }
}

extension TieredByteStore {
    /// Keeps bytes in the stores that the rule names.
    ///
    /// - Throws: What a store throws; the others have been written to all the same.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await turns.inTurn(.key(ImageKey(key))) {
            let targets = targets
            guard !targets.isEmpty else {
                // It says why it cannot.
                return try await stores[0].store(data, forKey: key, options: options)
            }
            guard writing == .writeBack, targets.count > 1 else {
                return try await each(targets) { try await $0.store(data, forKey: key, options: options) }
            }
            try await targets[0].store(data, forKey: key, options: options)
            if waiting.withLock({ $0.add(data, options, for: key) }) { return startWriting() }
            try await each(targets.dropFirst()) { try await $0.store(data, forKey: key, options: options) }
        }
    }

    /// Gives the entry a new date in each store that is written to.
    ///
    /// - Throws: What a store throws.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        try await turns.inTurn(.key(ImageKey(key))) {
            await write(key)
            var wasThere = false
            try await each(targets) {
                if try await $0.renewBlob(forKey: key, options: options) { wasThere = true }
            }
            return wasThere
        }
    }

    /// Forgets a key in the stores that the rule names.
    ///
    /// - Throws: What a store throws; the others have forgotten it all the same.
    @discardableResult
    public func removeBlob(forKey key: String) async throws -> Bool {
        try await turns.inTurn(.key(ImageKey(key))) {
            _ = waiting.withLock { $0.take(key) }
            var wasThere = false
            try await each(removingStores) {
                if try await $0.removeBlob(forKey: key) { wasThere = true }
            }
            return wasThere
        }
    }

    /// Forgets everything in the stores that the rule names; returns what was removed, as ``usage()`` counts.
    ///
    /// - Throws: What a store throws; the others are empty all the same.
    @discardableResult
    public func removeAll() async throws -> StoreUsage {
        try await turns.inTurn(.barrier) {
            waiting.withLock { $0.removeAll() }
            var sum = StoreUsage()
            try await each(removingStores) { sum.add(try await $0.removeAll(), isSame: true) }
            return sum
        }
    }

    /// Forgets the keys that a closure picks in the stores that the rule names; returns how many entries went
    /// from the store that had the most.
    ///
    /// - Throws: What a store throws; the others have forgotten them all the same.
    @discardableResult
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try await turns.inTurn(.barrier) {
            waiting.withLock { $0.removeAll(where: isRemoved) }
            var count = 0
            try await each(removingStores) { count = max(count, try await $0.removeBlobs(where: isRemoved)) }
            return count
        }
    }

    /// Forgets what has expired in each writable store.
    ///
    /// - Throws: What a store throws; the others have been asked all the same.
    @discardableResult
    public func removeExpired() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each(stores.filter(\.isWritable)) { sum.add(try await $0.removeExpired(), isSame: true) }
        return sum
    }

    /// Writes what waits, and lets each store write what it keeps back.
    ///
    /// - Throws: What a store throws, or what a write behind has failed with since the last call.
    public func flush() async throws {
        try await untilWritten()
        try await each(stores) { try await $0.flush() }
    }

    /// Writes what waits, and closes each store.
    ///
    /// - Throws: As ``flush()``; each is closed all the same.
    public func close() async throws {
        var failure: (any Error)?
        do { try await untilWritten() } catch { failure = error }
        try await each(stores) { try await $0.close() }
        if let failure { throw failure }
    }

    private var removingStores: [any ByteStore] {
        guard case .only(let index) = removing else { return stores.filter(\.isWritable) }
        return stores[index].isWritable ? [stores[index]] : []
    }

    private func untilWritten() async throws {
        while let worker = waiting.withLock(\.worker) { await worker.value }
        let failure = waiting.withLock { $0.failure.take() }
        if let failure { throw failure }
    }

    /// Starts what writes behind, unless it runs.
    private func startWriting() {
        waiting.withLock { waiting in
            guard waiting.worker == nil else { return }
            waiting.worker = Task { await writeAll() }
        }
    }

    private func writeAll() async {
        while let key = nextKey() { await turns.inTurn(.key(ImageKey(key))) { await write(key) } }
    }

    /// The key that has waited longest; the worker has ended where there is none.
    private func nextKey() -> String? {
        waiting.withLock { waiting in
            if waiting.first == nil { waiting.worker = nil }
            return waiting.first
        }
    }

    /// Writes what waits for a key, in its turn.
    private func write(_ key: String) async {
        guard let write = waiting.withLock({ $0.take(key) }) else { return }
        do {
            try await each(targets.dropFirst()) {
                try await $0.store(write.data, forKey: key, options: write.options)
            }
        } catch {
            waiting.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// Calls a closure for each store, also after one has failed, and throws the first failure at the end.
    private func each(
        _ stores: some Sequence<any ByteStore>,
        _ body: (any ByteStore) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        for store in stores {
            do { try await body(store) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
