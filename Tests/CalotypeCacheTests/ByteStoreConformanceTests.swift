import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking) struct ByteStoreConformanceTests {
    @Test func `the disk cache is a byte store`() async throws {
        let folder = try ScratchFolder()
        try await ByteStoreConformance(try DiskCache(.init(root: folder.path))).run()
    }

    @Test func `the fake is a byte store`() async throws {
        try await ByteStoreConformance(FakeByteStore()).run()
    }

    /// Forgets what it was told to keep beside the bytes.
    private struct ForgetfulStore: ByteStore {
        let store = FakeByteStore()
        var name: String { store.name }
        var isWritable: Bool { true }

        func blob(forKey key: String) async throws -> Blob? { try await store.blob(forKey: key) }
        func contains(_ key: String) async throws -> Bool { try await store.contains(key) }
        func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
            try await store.store(data, forKey: key, options: BlobOptions())
        }
        func removeBlob(forKey key: String) async throws -> Bool { try await store.removeBlob(forKey: key) }
        func removeAll() async throws -> StoreUsage { try await store.removeAll() }
        func removeExpired() async throws -> StoreUsage { try await store.removeExpired() }
        func usage() async throws -> StoreUsage { try await store.usage() }
        func close() async throws { try await store.close() }
    }

    @Test func `a store that breaks a promise is found out`() async throws {
        let breach = try await #require(throws: ByteStoreConformance.Breach.self) {
            try await ByteStoreConformance(ForgetfulStore()).run()
        }
        #expect(breach.promise == "metadata comes back as it was stored")
    }
}
