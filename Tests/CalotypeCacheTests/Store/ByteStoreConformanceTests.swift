import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct ByteStoreConformanceTests {
    @Test func `the disk cache conforms to ByteStore`() async throws {
        let folder = try ScratchFolder()
        try await ByteStoreConformance(try DiskCache(.init(root: folder.path))).run()
    }

    @Test func `the fake store conforms to ByteStore`() async throws {
        try await ByteStoreConformance(FakeByteStore()).run()
    }

    private let contents = ["https://example.org/a.png": testBytes(40), "plain": testBytes(700, seed: 2)]

    @Test func `a folder of files conforms as a read-only store`() async throws {
        let folder = try ScratchFolder()
        for (index, key) in contents.keys.sorted().enumerated() {
            try #require(contents[key]).write(to: URL(filePath: "\(folder.path)/\(index)"))
        }
        let names = Dictionary(uniqueKeysWithValues: contents.keys.sorted().enumerated().map { ($1, $0) })
        let store = FolderByteStore { key in names[key].map { "\(folder.path)/\($0)" } }
        try await ByteStoreConformance(store).runReadOnly(holding: contents)
        #expect(try folder.files() == ["0", "1"])
    }

    @Test func `a directory of SDWebImage conforms as a read-only store`() async throws {
        let folder = try ScratchFolder()
        for (key, data) in contents {
            let name = FolderByteStore.sdWebImageFileNames(forKey: key)[0]
            try data.write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        let files = try folder.files()
        let store = FolderByteStore.sdWebImage(directory: folder.path)
        try await ByteStoreConformance(store).runReadOnly(holding: contents)
        #expect(try folder.files() == files)
    }

    /// A read-only store that ignores writes instead of throwing.
    private struct SilentStore: ByteStore {
        let store: FakeByteStore
        var name: String { store.name }
        var isWritable: Bool { false }

        func blob(forKey key: String) async throws -> Blob? { try await store.blob(forKey: key) }
        func contains(_ key: String) async throws -> Bool { try await store.contains(key) }
        func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {}
        func removeBlob(forKey key: String) async throws -> Bool { false }
        func removeAll() async throws -> StoreUsage { StoreUsage() }
        func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int { 0 }
        func removeExpired() async throws -> StoreUsage { StoreUsage() }
        func usage() async throws -> StoreUsage { try await store.usage() }
        func close() async throws { try await store.close() }
    }

    @Test func `a read-only store that swallows a write is detected`() async throws {
        let store = FakeByteStore()
        for (key, data) in contents { try await store.store(data, forKey: key, options: BlobOptions()) }
        let breach = try await #require(throws: ByteStoreConformance.Breach.self) {
            try await ByteStoreConformance(SilentStore(store: store)).runReadOnly(holding: contents)
        }
        #expect(breach.promise == "storing throws if a store is read-only")
    }

    /// A store that drops metadata.
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
        func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
            try await store.removeBlobs(where: isRemoved)
        }
        func removeExpired() async throws -> StoreUsage { try await store.removeExpired() }
        func usage() async throws -> StoreUsage { try await store.usage() }
        func close() async throws { try await store.close() }
    }

    @Test func `a store that breaks a rule is detected`() async throws {
        let breach = try await #require(throws: ByteStoreConformance.Breach.self) {
            try await ByteStoreConformance(ForgetfulStore()).run()
        }
        #expect(breach.promise == "metadata comes back as it was stored")
    }
}
