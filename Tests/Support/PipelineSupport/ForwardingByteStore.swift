package import Calotype
package import FoundationEssentials

/// A store that passes each call on; a double implements the calls that it changes.
package protocol ForwardingByteStore: ByteStore {
    associatedtype Base: ByteStore

    var base: Base { get }
}

extension ForwardingByteStore {
    package var name: String { base.name }
    package var isWritable: Bool { true }

    package func blob(forKey key: String) async throws -> Blob? { try await base.blob(forKey: key) }

    package func contains(_ key: String) async throws -> Bool { try await base.contains(key) }

    package func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await base.store(data, forKey: key, options: options)
    }

    package func removeBlob(forKey key: String) async throws -> Bool {
        try await base.removeBlob(forKey: key)
    }

    package func removeAll() async throws -> StoreUsage { try await base.removeAll() }

    package func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try await base.removeBlobs(where: isRemoved)
    }

    package func removeExpired() async throws -> StoreUsage { try await base.removeExpired() }

    package func usage() async throws -> StoreUsage { try await base.usage() }

    package func flush() async throws { try await base.flush() }

    package func close() async throws { try await base.close() }
}
