import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct StoreQueueTests {
    @Test func `stores are admitted up to the byte budget, and the others in order`() {
        var line = StoreQueue<Int>(maxByteCount: 10)
        #expect(line.append(1, byteCount: 6) == [1])
        #expect(line.append(2, byteCount: 6) == [])
        #expect(line.append(3, byteCount: 1) == [], "stores do not overtake")
        #expect(line.append(4, byteCount: 0) == [])
        #expect(line.giveBack(byteCount: 6) == [2, 3, 4])
        #expect(line.byteCount == 7)
    }

    @Test func `a store larger than the budget is admitted when no other is pending`() {
        var line = StoreQueue<Int>(maxByteCount: 10)
        #expect(line.append(1, byteCount: 1) == [1])
        #expect(line.append(2, byteCount: 100) == [])
        #expect(line.giveBack(byteCount: 1) == [2])
        #expect(line.append(3, byteCount: 0) == [3], "a store without bytes needs no budget")
        #expect(line.append(4, byteCount: 1) == [])
        #expect(line.giveBack(byteCount: 100) == [4])
    }

    @Test func `stores beyond the budget wait in order`() async throws {
        let fixture = try DiskFixture()
        var configuration = fixture.configuration()
        configuration.maxPendingByteCount = 2500
        let cache = try await DiskCache.open(configuration)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let stores = (0..<20).map { index in
            Task.immediate { try await cache.store(testBytes(1000, seed: index), forKey: "\(index % 4)") }
        }
        let removal = Task.immediate { try await cache.removeBlob(forKey: "0") }
        await reached.wait()
        #expect(cache.state.withLock { $0.line.byteCount } <= 2500)
        released.open()
        for store in stores { try await store.value }
        #expect(try await removal.value)
        #expect(try await cache.blob(forKey: "0") == nil)
        for key in 1..<4 {
            #expect(try await cache.blob(forKey: "\(key)")?.data == testBytes(1000, seed: 16 + key))
        }
        #expect(cache.state.withLock { $0.line.byteCount } == 0)
    }

    @Test func `a cold read precedes waiting stores`() async throws {
        let fixture = try DiskFixture()
        var configuration = fixture.configuration()
        configuration.maxConcurrency = 2
        let cache = try await DiskCache.open(configuration)
        // Longer than the limit of inline reads.
        try await cache.store(testBytes(300_000), forKey: "long")
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let stores = (0..<20).map { index in
            Task.immediate { try await cache.store(testBytes(10), forKey: "\(index)") }
        }
        await reached.wait()
        #expect(try await cache.blob(forKey: "long")?.data == testBytes(300_000))
        released.open()
        for store in stores { try await store.value }
    }
}
