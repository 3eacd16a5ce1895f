import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct DiskLimitTests {
    @Test func `the size limit holds after every write`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 10_000))
        for index in 0..<60 {
            try await cache.store(testBytes(700), forKey: "key \(index)")
            fixture.clock.advance(by: .seconds(1))
            let usage = try await cache.usage()
            #expect(usage.byteCount <= 10_000)
            #expect(try fixture.byteCount(of: fixture.entryFiles()) == usage.byteCount)
        }
        #expect(cache.statistics.evictionCount > 40)
        #expect(try await cache.contains("key 59"))
        #expect(try await !cache.contains("key 0"))
    }

    @Test func `an eviction reaches 95 percent, least recently used first`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(countLimit: 100))
        for index in 0..<100 {
            try await cache.store(testBytes(1), forKey: "\(index)")
            fixture.clock.advance(by: .seconds(1))
        }
        _ = try await cache.blob(forKey: "0")
        fixture.clock.advance(by: .seconds(1))
        try await cache.store(testBytes(1), forKey: "100")
        #expect(try await cache.usage().entryCount == 95)
        #expect(try await cache.contains("0"))
        #expect(try await !cache.contains("1"))
        #expect(try await !cache.contains("6"))
        #expect(try await cache.contains("7"))
    }

    @Test func `an entry larger than the limit is rejected and evicts nothing`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 1000))
        try await cache.store(testBytes(100), forKey: "small")
        await expectCode(.entryTooLarge) { try await cache.store(testBytes(1000), forKey: "large") }
        #expect(try await cache.contains("small"))
        #expect(try await cache.blob(forKey: "large") == nil)
    }

    @Test func `opening with a smaller limit enforces it`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(DiskSettings(countLimit: 50))
        for index in 0..<50 {
            try await first.store(testBytes(1), forKey: "\(index)")
            fixture.clock.advance(by: .seconds(1))
        }
        try await first.close()
        let second = try await fixture.cache(DiskSettings(countLimit: 10))
        #expect(try await second.usage().entryCount == 10)
        #expect(try fixture.entryFiles().count == 10)
        #expect(try await second.contains("49"))
    }

    @Test func `uses are written back, so that the next process evicts unused entries first`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(DiskSettings(countLimit: 10))
        for index in 0..<10 {
            try await first.store(testBytes(1), forKey: "\(index)")
            fixture.clock.advance(by: .seconds(1))
        }
        _ = try await first.blob(forKey: "0")
        try await first.close()
        fixture.clock.advance(by: .seconds(1))
        let second = try await fixture.cache(nil)
        try await second.store(testBytes(1), forKey: "10")
        _ = try await second.usage()
        #expect(try await second.contains("0"))
        #expect(try await !second.contains("1"))
    }

    @Test func `trimming removes the oldest until the rest fits`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<10 {
            try await cache.store(testBytes(35), forKey: "\(index)")
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(try await cache.trim(toSize: 350) == StoreUsage(entryCount: 7, byteCount: 700))
        #expect(try await cache.usage() == StoreUsage(entryCount: 3, byteCount: 300))
        #expect(try await cache.contains("9"))
        #expect(try fixture.entryFiles().count == 3)
    }

    @Test func `a hundred concurrent stores end within the limit`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 20_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask { try await cache.store(testBytes(1000, seed: index), forKey: "\(index)") }
            }
            try await group.waitForAll()
        }
        let usage = try await cache.usage()
        #expect(usage.byteCount <= 20_000)
        #expect(try fixture.byteCount(of: fixture.entryFiles()) == usage.byteCount)
    }
}
