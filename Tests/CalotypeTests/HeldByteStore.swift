import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import PipelineSupport

/// A store whose writes hang until they are released, or whose reads or queries hang and ignore cancellation.
struct HeldByteStore: ForwardingByteStore {
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
}
