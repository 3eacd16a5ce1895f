import CalotypeCache
import CalotypeTesting
import FoundationEssentials

/// A byte store in memory that calls a hook before each operation.
struct HookedStore: ByteStore {
    let base: FakeByteStore
    /// Called with the name of the operation, such as `store`; may wait and throw.
    let hook: @Sendable (String) async throws -> Void

    init(_ base: FakeByteStore = FakeByteStore(), hook: @escaping @Sendable (String) async throws -> Void) {
        self.base = base
        self.hook = hook
    }

    var name: String { base.name }
    var isWritable: Bool { base.isWritable }

    func blob(forKey key: String) async throws -> Blob? {
        try await hook("blob")
        return try await base.blob(forKey: key)
    }

    func contains(_ key: String) async throws -> Bool {
        try await hook("contains")
        return try await base.contains(key)
    }

    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await hook("store")
        try await base.store(data, forKey: key, options: options)
    }

    func removeBlob(forKey key: String) async throws -> Bool {
        try await hook("removeBlob")
        return try await base.removeBlob(forKey: key)
    }

    func removeAll() async throws -> StoreUsage {
        try await hook("removeAll")
        return try await base.removeAll()
    }

    func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try await hook("removeBlobs")
        return try await base.removeBlobs(where: isRemoved)
    }

    func removeExpired() async throws -> StoreUsage { try await base.removeExpired() }
    func usage() async throws -> StoreUsage { try await base.usage() }
    func close() async throws { try await base.close() }
}
