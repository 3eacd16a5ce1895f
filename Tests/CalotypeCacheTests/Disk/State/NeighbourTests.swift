import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct NeighbourTests {
    private let rules = DiskRules(sizeLimit: 1 << 20, countLimit: .max, expiry: .never)

    private func usage(_ entryCount: Int, _ byteCount: Int) -> StoreUsage {
        StoreUsage(entryCount: entryCount, byteCount: byteCount)
    }

    @Test func `the folder of a dead writer is removed at the first look and costs nothing later`()
        async throws
    {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        let dead = fixture.scratch.path + "/cache/default/v1/tmp/wdeadbeef"
        try FileManager.default.createDirectory(atPath: dead, withIntermediateDirectories: true)
        cache.lookForNeighbours()
        #expect(!FileManager.default.fileExists(atPath: dead))
        #expect(cache.state.withLock { !$0.neighbours.hasCompany })
        await settle(cache)
        fixture.files.arm(nil)
        for _ in 0..<50 { try await cache.store(testBytes(10), forKey: "k") }
        #expect(!fixture.files.calls.contains(.list))
    }

    @Test func `an idle neighbour causes no walk, and few looks`() async throws {
        let fixture = try DiskFixture()
        let settings = DiskSettings(sizeLimit: 1 << 20, expiry: .never)
        let other = try await fixture.cache(settings)
        try await other.store(testBytes(10), forKey: "other")
        // Waits until its first walk is complete.
        _ = try await other.usage()
        let cache = try await fixture.cache(settings)
        // The first store finds the neighbour, and walks everything again.
        try await cache.store(testBytes(10), forKey: "first")
        for cache in [cache, other] { await settle(cache) }
        fixture.files.arm(nil)
        for index in 0..<200 { try await cache.store(Data(), forKey: "\(index % 50)") }
        await settle(cache)
        // A look is one listing, due for each 1024th of the limit that is written.
        #expect(fixture.files.calls.count { $0 == .list } <= 200 * 70 / 1024 + 1)
        try await other.close()
        try await cache.close()
    }

    /// Returns when no background work is left.
    private func settle(_ cache: DiskCache) async {
        repeat { await cache.maintenancePool.run {} } while cache.state.withLock(\.isMaintaining)
    }

    @Test func `writes of a neighbour count before they are seen`() async throws {
        let fixture = try DiskFixture()
        let settings = DiskSettings(sizeLimit: 100_000, expiry: .never)
        let first = try await fixture.cache(settings)
        let second = try await fixture.cache(settings)
        for index in 0..<400 {
            try await (index % 2 == 0 ? first : second).store(testBytes(900), forKey: "\(index)")
            #expect(try fixture.byteCount(of: fixture.entryFiles()) <= 110_000, "entry \(index)")
        }
        try await first.close()
        try await second.close()
    }

    @Test func `a lasting cache and short-lived ones hold the limit together`() async throws {
        let fixture = try DiskFixture()
        let settings = DiskSettings(sizeLimit: 100_000, expiry: .never)
        let staying = try await fixture.cache(settings)
        for run in 0..<15 {
            let passing = try await fixture.cache(nil)
            for index in 0..<10 { try await passing.store(testBytes(900), forKey: "\(run), \(index)") }
            try await passing.close()
            for index in 0..<10 { try await staying.store(testBytes(900), forKey: "stays \(run), \(index)") }
            #expect(try fixture.byteCount(of: fixture.entryFiles()) <= 110_000, "run \(run)")
        }
        try await staying.close()
    }

    @Test func `the reported usage of closed caches is not counted twice by new ones`() async throws {
        let fixture = try DiskFixture()
        let settings = DiskSettings(countLimit: 12, expiry: .never)
        let staying = try await fixture.cache(settings)
        try await staying.store(Data(), forKey: "stays")
        for run in 0..<10 {
            let passing = try await fixture.cache(nil)
            try await passing.store(Data(), forKey: "\(run)")
            try await passing.close()
        }
        #expect(try fixture.entryFiles().count == 11, "no entry had to be evicted")
    }

    @Test func `the last cache to close leaves nothing below tmp`() async throws {
        let fixture = try DiskFixture()
        let caches = [try await fixture.cache(), try await fixture.cache()]
        for (index, cache) in caches.enumerated() {
            for step in 0..<3 { try await cache.store(testBytes(10), forKey: "\(index), \(step)") }
        }
        for cache in caches { try await cache.close() }
        #expect(try fixture.scratch.files().allSatisfy { !$0.contains("/tmp/") })
    }

    // MARK: The ledger

    @Test func `a single writer reports only its presence, and has no unseen usage`() {
        var ledger = NeighbourLedger()
        ledger.noteOwn(usage(1, 5000), writtenByteCount: 5000)
        #expect(ledger.isLookDue(rules))
        #expect(ledger.didLook(living: [:], dead: StoreUsage(), rules: rules) == 0)
        let tells = ledger.takeTellingDue()
        #expect(tells, "reports its presence")
        #expect(!ledger.isLookDue(rules))
        _ = ledger.didLook(living: [:], dead: StoreUsage(), rules: rules)
        let tellsAgain = ledger.takeTellingDue()
        #expect(!tellsAgain)
        #expect(ledger.unseen == StoreUsage())
    }

    @Test func `usage reported by neighbours is unseen until the folders are walked`() {
        var ledger = NeighbourLedger()
        ledger.noteOwn(usage(1, 10), writtenByteCount: 10)
        #expect(ledger.didLook(living: ["w1": usage(0, 0)], dead: StoreUsage(), rules: rules) == 1)
        let tells = ledger.takeTellingDue()
        #expect(tells)
        let share = ledger.didLook(living: ["w1": usage(256, 1 << 17)], dead: StoreUsage(), rules: rules)
        #expect(share == 1, "an eighth of the limit is worth looking at everything again")
        #expect(ledger.unseen == usage(256, 1 << 17))
        for folder in 0..<128 { ledger.didWalk(folder) }
        #expect(ledger.unseen == usage(128, 1 << 16))
        for folder in 128..<256 { ledger.didWalk(folder) }
        #expect(ledger.unseen == usage(0, 0))
        _ = ledger.didLook(living: ["w1": usage(0, 0)], dead: StoreUsage(), rules: rules)
        #expect(ledger.unseen == usage(-256, -(1 << 17)), "it has removed as much")
        ledger.noteGone(usage(256, 1 << 17), in: 0)
        #expect(ledger.unseen == usage(0, 0), "and that has been found out")
    }

    @Test func `usage of dead writers is included in the report of their finder`() {
        var ledger = NeighbourLedger()
        ledger.noteOwn(usage(1, 10), writtenByteCount: 10)
        _ = ledger.didLook(living: ["w1": usage(3, 300), "w2": nil], dead: StoreUsage(), rules: rules)
        _ = ledger.didLook(living: ["w2": nil], dead: usage(4, 400), rules: rules)
        #expect(ledger.toTell == usage(5, 410))
        #expect(ledger.unseen == usage(4, 400))
    }

    @Test func `a neighbour without reports is checked as often as this process writes`() {
        var ledger = NeighbourLedger()
        ledger.noteOwn(usage(1, 10), writtenByteCount: 10)
        _ = ledger.didLook(living: ["w1": nil], dead: StoreUsage(), rules: rules)
        ledger.noteOwn(usage(1, 1 << 15), writtenByteCount: 1 << 15)
        #expect(ledger.didLook(living: ["w1": nil], dead: StoreUsage(), rules: rules) == 0.25)
    }

    @Test(arguments: ["", "1", "1 2 3", "x 2", "99999999999999999999 1", "\(1 << 60) 1", "1 -\(1 << 60)"])
    func `parsing an invalid usage returns nil`(text: String) {
        #expect(NeighbourLedger.usage(parsing: text) == nil)
    }

    @Test func `a usage round-trips through its text`() {
        for usage in [usage(0, 0), usage(-5, 17), usage(3, -1 << 40)] {
            #expect(NeighbourLedger.usage(parsing: NeighbourLedger.text(usage)) == usage)
        }
    }
}
