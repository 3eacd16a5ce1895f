import CalotypeCache
import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Tables whose keys clients and origins choose, filled with many long keys.
@Suite(.blocking) struct TableLimitTests {
    private static let error = LoadError(
        stage: .load,
        underlying: FetchError(.timedOut, detail: ManyKeys.text)
    )
    private let now = ContinuousClock.now

    @Test func `the failure memory is limited in bytes`() async {
        var memory = NegativeCache(duration: .seconds(60), maxCount: .max, maxByteCount: 4 << 20)
        var largest = 0
        await ManyKeys.fill { number in
            memory.note(Self.error, of: "\(ManyKeys.text)\(number)", at: now)
            largest = max(largest, memory.byteCount)
        }
        #expect(largest <= 4 << 20 && ManyKeys.byteCount(of: memory) <= 8 << 20)
        #expect(memory.failure(of: "\(ManyKeys.text)\(ManyKeys.count - 1)", at: now) != nil)
        #expect(memory.count > 500)
        await ManyKeys.fill { memory.remove("\(ManyKeys.text)\($0)") }
        #expect((memory.byteCount, memory.count) == (0, 0))
    }

    @Test func `the failure memory counts the address that redirects have led to`() throws {
        var memory = NegativeCache(duration: .seconds(60), maxCount: .max, maxByteCount: 1 << 20)
        let path = String(repeating: "n", count: 60_000)
        for number in 0..<200 {
            var failure = FetchError(.unacceptableStatus, status: 404, detail: "gone")
            let target = try #require(URL(string: "https://b.test/\(number)/\(path)"))
            failure.answeringURL = target
            let error = LoadError(stage: .load, underlying: failure)
            memory.note(error, of: "https://a.test/\(number)", at: now)
        }
        let held = memory.count * path.utf8.count
        #expect(held <= 1 << 20, "\(held) bytes of addresses, counted as \(memory.byteCount)")
    }

    @Test func `the failure memory retains no key of a source that has succeeded`() async {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 1_000)
        memory.note(Self.error, of: "first", at: now)
        await ManyKeys.fill { number in
            let source = "\(ManyKeys.text)\(number)"
            memory.note(Self.error, of: source, at: now)
            memory.remove(source)
        }
        #expect(memory.count == 1 && memory.failure(of: "first", at: now) != nil)
        #expect(ManyKeys.byteCount(of: memory) < 1 << 20)
    }

    @Test func `a source that fails again and again is listed a limited number of times`() async {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 1_000)
        memory.note(Self.error, of: "first", at: now)
        await ManyKeys.fill { _ in memory.note(Self.error, of: "again", at: now) }
        #expect(memory.count == 2 && ManyKeys.byteCount(of: memory) < 64 << 10)
    }

    @Test func `the table of larger images is limited in bytes`() async {
        var images = LargerImages()
        var largest = 0
        await ManyKeys.fill { number in
            let key = ImageKey("\(ManyKeys.text)\(number / 4)")
            images.note(ImageKey("\(ManyKeys.text)\(number)v"), of: key)
            largest = max(largest, images.byteCount)
        }
        #expect(largest <= 9 << 20)
        #expect(ManyKeys.byteCount(of: images) <= 9 << 20)
        #expect(!images.keys(of: ImageKey("\(ManyKeys.text)\(ManyKeys.count / 4 - 1)")).isEmpty)
    }

    @Test func `the cost of a validation includes its key`() async {
        let memory = MemoryCache<ImageKey, Validation>(costLimit: 4 << 20)
        let validation = Validation(
            record: nil,
            contentHash: 1,
            receivedAt: Timestamp(nanosecondsSince1970: 0),
            allowing: StaleAllowance()
        )
        await ManyKeys.fill { number in
            let key = ImageKey("\(ManyKeys.text)\(number)")
            memory.insert(validation, forKey: key, cost: validation.cost(for: key))
        }
        #expect(memory.statistics.count <= (4 << 20) / 3_000)
    }

    @Test func `the budget of bytes lists only origins with claims`() async {
        var ledger = ByteLedger(.init(maxByteCount: 1_000, maxOriginByteCount: 100))
        let start = ManyKeys.byteCount(of: ledger)
        await ManyKeys.fill { number in
            let origin = "http://\(number).test"
            // Every third claim exceeds the share of its origin, and every other one has no bytes.
            let claim = ByteLedger.Claim(byteCount: number % 2 * (number % 3 == 0 ? 200 : 50), origin: origin)
            if ledger.fits(claim, number) {
                ledger.hold(claim, number)
            } else if ledger.mayExceed(claim, number) {
                ledger.letExceed(claim, number)
                ledger.hold(claim, number)
            }
            let earlier = number - 8
            ledger.end(earlier, of: "http://\(earlier).test")
        }
        #expect(ManyKeys.byteCount(of: ledger) < start + 2_000)
        for number in ManyKeys.count - 8..<ManyKeys.count { ledger.end(number, of: "http://\(number).test") }
        #expect(ledger.heldByteCount == 0 && ManyKeys.byteCount(of: ledger) == start)
    }

    @Test func `shared work lists only keys with work`() async {
        var coalescer = Coalescer<ImageKey, Int>()
        let start = ManyKeys.byteCount(of: coalescer)
        var startedCount = 0
        await ManyKeys.fill { number in
            let key = ImageKey("\(number)")
            guard case .start(let id) = coalescer.join(key, waiter: number) else { return }
            startedCount += 1
            switch number % 3 {
            case 0: _ = coalescer.leave(number)
            case 1: _ = coalescer.deliver(number, from: id)
            default: break
            }
            _ = coalescer.finish(id)
        }
        #expect(startedCount == ManyKeys.count && coalescer.isIdle)
        #expect(ManyKeys.byteCount(of: coalescer) == start)
    }

    @Test func `the filter of sources in memory has a constant size`() async {
        var sources = CachedSourceFilter()
        let start = ManyKeys.byteCount(of: sources)
        await ManyKeys.fill {
            _ = sources.beginInsertion("http://\($0).test")
            sources.endInsertion("http://\($0).test")
        }
        #expect(ManyKeys.byteCount(of: sources) == start)
    }
}
