import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

/// Clocks that step back, or were ahead once.
@Suite(.blocking) struct DiskClockTests {
    private let year = Duration.seconds(365 * 86_400)

    private func store(_ keys: [String], in cache: DiskCache) async throws {
        for key in keys { try await cache.store(testBytes(10), forKey: key) }
    }

    private func kept(_ keys: [String], in cache: DiskCache) async throws -> Int {
        var count = 0
        for key in keys where try await cache.contains(key) { count += 1 }
        return count
    }

    @Test func `new entries are not evicted when the clock steps back`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(countLimit: 100))
        let old = (0..<100).map { "old \($0)" }
        let new = (0..<200).map { "new \($0)" }
        try await store(old, in: cache)
        fixture.clock.advance(by: .seconds(-3600))
        for key in new {
            try await store([key], in: cache)
            #expect(try await cache.blob(forKey: key) != nil)
        }
        #expect(try await kept(old, in: cache) == 0)
        #expect(try await kept(Array(new.suffix(90)), in: cache) == 90)
    }

    @Test func `an entry used after the clock stepped back is not evicted`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(countLimit: 20))
        try await store((0..<20).map { "\($0)" }, in: cache)
        fixture.clock.advance(by: .seconds(-3600))
        _ = try await cache.blob(forKey: "0")
        try await store(["20"], in: cache)
        #expect(try await cache.contains("0"))
        #expect(try await !cache.contains("1"))
    }

    @Test func `entries dated ahead of the clock are evicted in turn`() async throws {
        let fixture = try DiskFixture()
        let settings = DiskSettings(countLimit: 100, expiry: .never)
        let ahead = (0..<96).map { "ahead \($0)" }
        fixture.clock.advance(by: year)
        let first = try await fixture.cache(settings)
        try await store(ahead, in: first)
        try await first.close()
        fixture.clock.advance(by: .zero - year)
        for run in 0..<3 {
            let cache = try await fixture.cache(settings)
            _ = try await cache.usage()
            let new = (0..<300).map { "run \(run), \($0)" }
            try await store(new, in: cache)
            #expect(try await kept(ahead, in: cache) == 0, "run \(run)")
            #expect(try await kept(Array(new.suffix(90)), in: cache) == 90, "run \(run)")
            try await cache.close()
        }
    }

    @Test func `a use dated ahead of the clock is corrected on disk for the next process`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(DiskSettings(expiry: .never))
        try await store(["k"], in: first)
        try await first.close()
        let path = first.path(forKey: "k")
        try fixture.files.setAccessTime(at: path, to: fixture.clock.now() + year)
        let second = try await fixture.cache(nil)
        _ = try await second.usage()
        try await second.close()
        #expect(try fixture.files.status(at: path).accessedAt == fixture.clock.now())
    }

    @Test func `a use after the start of a walk does not count as ahead of the clock`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(DiskSettings(expiry: .never))
        try await store(["k"], in: first)
        try await first.close()
        // After the walk has read the clock, and before it visits the entry.
        let (reached, released) = (AsyncGate(), BlockingGate())
        let listsBefore = 2
        let skipping = listsBefore + EntryName(key: "k").folderIndex
        fixture.files.hold(.list, skipping: skipping, reached: reached, until: released)
        let second = try await fixture.cache(nil)
        await reached.wait()
        fixture.clock.advance(by: .seconds(120))
        let used = fixture.clock.now()
        _ = try await second.blob(forKey: "k")
        try await second.flush()
        fixture.clock.advance(by: .seconds(60))
        released.open()
        _ = try await second.usage()
        try await second.close()
        #expect(try fixture.files.status(at: second.path(forKey: "k")).accessedAt == used)
    }

    @Test func `last uses are written back even if the clock stepped back`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .never))
        try await store(["k"], in: cache)
        _ = try await cache.blob(forKey: "k")
        fixture.clock.advance(by: .zero - year)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.setAccessTime, reached: reached, until: released)
        _ = try await cache.blob(forKey: "k")
        await reached.wait()
        released.open()
        try await cache.close()
        #expect(try fixture.files.status(at: cache.path(forKey: "k")).accessedAt == fixture.clock.now())
    }

    @Test func `an entry dated more than a day ahead has expired, and one dated less has not`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterWrite(.seconds(100))))
        fixture.clock.advance(by: .seconds(3600))
        try await store(["hour"], in: cache)
        fixture.clock.advance(by: year)
        try await store(["year"], in: cache)
        let never = BlobOptions(expiry: .never)
        try await cache.store(testBytes(1), forKey: "ever", options: never)
        fixture.clock.advance(by: .zero - year - .seconds(3600))
        #expect(try await cache.blob(forKey: "hour")?.expiresAt == fixture.clock.now() + .seconds(100))
        #expect(try await cache.blob(forKey: "year") == nil)
        #expect(try await cache.blob(forKey: "ever") != nil)
        #expect(try await cache.removeExpired().entryCount == 1)
    }

    @Test func `uses are ordered whatever the clock returns`() {
        var clock = UseClock()
        let times = [5, 5, 9, 2, 2, 10].map { Timestamp(nanosecondsSince1970: $0) }
        let order = times.map { clock.next($0) }
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
        #expect(order.map(\.nanosecondsSince1970) == [5, 6, 9, 10, 11, 12])
    }
}
