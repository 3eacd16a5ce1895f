import CalotypeCache
import FoundationEssentials

/// A store that passes each call on; a double implements the calls that it changes.
protocol ForwardingByteStore: ByteStore {
    associatedtype Base: ByteStore

    var base: Base { get }
}

extension ForwardingByteStore {
    var name: String { base.name }
    var isWritable: Bool { true }

    func blob(forKey key: String) async throws -> Blob? { try await base.blob(forKey: key) }

    func contains(_ key: String) async throws -> Bool { try await base.contains(key) }

    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await base.store(data, forKey: key, options: options)
    }

    func removeBlob(forKey key: String) async throws -> Bool { try await base.removeBlob(forKey: key) }

    func removeAll() async throws -> StoreUsage { try await base.removeAll() }

    func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try await base.removeBlobs(where: isRemoved)
    }

    func removeExpired() async throws -> StoreUsage { try await base.removeExpired() }

    func usage() async throws -> StoreUsage { try await base.usage() }

    func flush() async throws { try await base.flush() }

    func close() async throws { try await base.close() }
}
