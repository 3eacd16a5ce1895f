import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskOrderTests {
    @Test func `operations on one key take effect in the order they were issued`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for round in 0..<30 {
            // Each task runs to its first suspension before the next starts, without waiting for its result.
            let tasks = (0..<10).map { step in
                Task.immediate {
                    let data = testBytes(10, seed: round * 10 + step)
                    if step % 3 == 2 {
                        try await cache.removeBlob(forKey: "k")
                    } else {
                        try await cache.store(data, forKey: "k")
                    }
                }
            }
            for task in tasks { try await task.value }
            #expect(try await cache.blob(forKey: "k")?.data == testBytes(10, seed: round * 10 + 9))
        }
    }

    @Test func `a read sees a write that is still in flight`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let (reached, released) = (AsyncGate(), BlockingGate())
        try await cache.store(testBytes(10, seed: 1), forKey: "k")
        fixture.files.hold(.rename, reached: reached, until: released)
        let now = fixture.clock.now()
        let store = Task.immediate { try await cache.store(testBytes(10, seed: 2), forKey: "k") }
        await reached.wait()
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10, seed: 2))
        #expect(try await cache.blob(forKey: "k")?.writtenAt == now)
        #expect(try await cache.contains("k"))
        let removal = Task.immediate { try await cache.removeBlob(forKey: "k") }
        #expect(try await cache.blob(forKey: "k") == nil)
        released.open()
        try await store.value
        #expect(try await removal.value)
        #expect(try await cache.blob(forKey: "k") == nil)
    }

    @Test func `another key does not wait for a write in flight`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let (reached, released) = (AsyncGate(), BlockingGate())
        try await cache.store(testBytes(10), forKey: "other")
        fixture.files.hold(.rename, reached: reached, until: released)
        let store = Task.immediate { try await cache.store(testBytes(10), forKey: "k") }
        await reached.wait()
        #expect(try await cache.blob(forKey: "other")?.data == testBytes(10))
        released.open()
        try await store.value
    }

    @Test func `a filtered removal waits for a write in flight and delays no later write`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let store = Task.immediate { try await cache.store(testBytes(10), forKey: "gone") }
        await reached.wait()
        let removal = Task.immediate { try await cache.removeBlobs { $0 == "gone" } }
        let flush = Task.immediate { try await cache.flush() }
        try await cache.store(testBytes(10), forKey: "later")
        released.open()
        try await store.value
        #expect(try await removal.value == 1)
        try await flush.value
        #expect(try await cache.entries().map(\.key) == ["later"])
    }

    @Test func `removing everything removes earlier stores and spares later ones`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let before = (0..<20).map { index in
            Task.immediate { try await cache.store(testBytes(10), forKey: "before \(index)") }
        }
        let clear = Task.immediate { try await cache.removeAll() }
        let after = (0..<20).map { index in
            Task.immediate { try await cache.store(testBytes(10), forKey: "after \(index)") }
        }
        for task in before + after { try await task.value }
        #expect(try await clear.value.entryCount == 20)
        let keys = try await cache.entries().map(\.key)
        #expect(Set(keys) == Set((0..<20).map { "after \($0)" }))
    }

    @Test func `several tasks on few keys never read a wrong byte`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 30_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<100 {
                        let key = Int.random(in: 0..<20, using: &generator)
                        switch Int.random(in: 0..<10, using: &generator) {
                        case 0..<5: try await cache.store(testBytes(2000, seed: key), forKey: "\(key)")
                        case 5..<9:
                            let data = try await cache.blob(forKey: "\(key)")?.data
                            #expect(data == nil || data == testBytes(2000, seed: key))
                        default: try await cache.removeBlob(forKey: "\(key)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: fixture.entryFiles()))
        #expect(try await cache.usage().byteCount <= 30_000)
        #expect(cache.statistics.damagedCount == 0)
        #expect(cache.statistics.maintenanceFailureCount == 0)
        try await cache.close()
        #expect(fixture.files.openFileCount == 0)
    }
}
