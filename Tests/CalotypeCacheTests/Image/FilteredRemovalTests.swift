import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Filtered removals while a write of one key hangs.
@Suite(.blocking) struct FilteredRemovalTests {
    private let store = FakeByteStore()
    private let reached = AsyncGate()
    private let released = AsyncGate()
    private let data = FakeImageDecoder.data(width: 4, height: 3)

    /// A cache over a store whose first write hangs.
    private func makeCache() -> ImageCache {
        let isFirst = SharedState(true)
        let hooked = HookedStore(store) { [reached, released] name in
            let hangs = isFirst.withLock { isFirst in
                defer { if name == "store" { isFirst = false } }
                return name == "store" && isFirst
            }
            guard hangs else { return }
            reached.open()
            await released.wait()
        }
        return ImageCache(stores: [hooked])
    }

    @Test func `a filtered removal delays no write of another key behind a write that hangs`() async throws {
        let cache = makeCache()
        let hung = Task { try await cache.store(data, for: "hung") }
        await reached.wait()
        let removal = Task.immediate { try await cache.removeAll { $0 == "gone" || $0 == "hung" } }
        try await cache.store(data, for: "other")
        #expect(store.keys == ["other"])
        released.open()
        try await hung.value
        try await removal.value
        #expect(store.keys == ["other"])
    }

    @Test func `a filtered removal does not wait for a write of another key`() async throws {
        let cache = makeCache()
        try await store.store(data, forKey: "gone", options: BlobOptions())
        let hung = Task { try await cache.store(data, for: "hung") }
        await reached.wait()
        try await cache.removeAll { $0 == "gone" }
        #expect(store.keys == [])
        released.open()
        try await hung.value
        #expect(store.keys == ["hung"])
    }

    @Test func `a removal of every key hides no later image behind a write that hangs`() async throws {
        let cache = makeCache()
        try await store.store(data, forKey: "old", options: BlobOptions())
        try await store.store(data, forKey: "hung", options: BlobOptions())
        let hung = Task { try await cache.store(data, for: "hung") }
        await reached.wait()
        let found = SharedState<[ImageKey]>([])
        let removal = Task {
            try await cache.removeAll(
                where: { _ in true },
                onFind: { key in found.withLock { $0.append(key) } }
            )
        }
        // Both keys have left the store; the one being written is removed once more.
        while found.value.count < 2 { await Task.yield() }
        try await cache.store(data, for: "new")
        while try await cache.blob(for: "new") == nil { await Task.yield() }
        #expect(try await cache.blob(for: "hung") == nil)
        released.open()
        try await hung.value
        try await removal.value
        #expect(store.keys == ["new"])
        #expect(Set(found.value) == ["old", "hung"])
    }

    @Test func `a filtered removal reports a store's failure for a key being written`() async throws {
        struct Refusal: Error {}
        let hooked = HookedStore(store) { [reached, released] name in
            if name == "removeBlob" { throw Refusal() }
            guard name == "store" else { return }
            reached.open()
            await released.wait()
        }
        let cache = ImageCache(stores: [hooked])
        try await store.store(data, forKey: "gone", options: BlobOptions())
        let storing = Task { try await cache.store(data, for: "k") }
        await reached.wait()
        let removal = Task.immediate { try await cache.removeAll { _ in true } }
        while !store.keys.isEmpty { await Task.yield() }
        released.open()
        try await storing.value
        await #expect(throws: Refusal.self) { try await removal.value }
        // The other key is removed all the same.
        #expect(store.keys == ["k"])
        #expect(try await cache.blob(for: "k")?.data == data)
    }
}
