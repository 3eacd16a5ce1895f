import CalotypeCache
import CalotypeTesting
import FoundationEssentials

/// A store whose writes hang until they are released, or whose reads or queries hang and ignore cancellation.
struct HeldByteStore: ByteStore {
    let base = FakeByteStore()
    let gate = AsyncGate()
    /// Makes reads hang in place of writes.
    var holdsReads = false
    /// Makes removals hang in place of writes.
    var holdsRemovals = false
    /// Makes queries for the existence of entries hang in place of writes.
    var holdsQueries = false
    let readCount = SharedState(0)
    /// Opened when the first write starts.
    let reached = AsyncGate()

    var name: String { base.name }
    var isWritable: Bool { true }

    func blob(forKey key: String) async throws -> Blob? {
        if holdsReads {
            readCount.withLock { $0 += 1 }
            await Task { await gate.wait() }.value
        }
        return try await base.blob(forKey: key)
    }

    func contains(_ key: String) async throws -> Bool {
        if holdsQueries { await Task { await gate.wait() }.value }
        return try await base.contains(key)
    }

    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        if !holdsReads, !holdsRemovals, !holdsQueries {
            reached.open()
            await gate.wait()
        }
        try await base.store(data, forKey: key, options: options)
    }

    func removeBlob(forKey key: String) async throws -> Bool {
        if holdsRemovals { await Task { await gate.wait() }.value }
        return try await base.removeBlob(forKey: key)
    }

    func removeAll() async throws -> StoreUsage { try await base.removeAll() }

    func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try await base.removeBlobs(where: isRemoved)
    }

    func removeExpired() async throws -> StoreUsage { try await base.removeExpired() }

    func usage() async throws -> StoreUsage { try await base.usage() }

    func flush() async throws { try await base.flush() }

    func close() async throws { try await base.close() }
}
