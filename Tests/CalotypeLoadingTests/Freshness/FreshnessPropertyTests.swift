import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeLoading

private struct RandomExchange {
    var random: SeededGenerator

    private static let directives = [
        "max-age=60", "max-age=0", "max-age=999999", "s-maxage=5", "no-cache", "must-revalidate", "immutable",
        "stale-while-revalidate=30", "stale-if-error=90", "public", "private", "max-age=x", "max-age=\"9\"",
    ]
    private static let wishes = [
        "max-age=30", "max-age=0", "max-stale", "max-stale=60", "min-fresh=20", "no-cache", "only-if-cached",
        "stale-if-error=10",
    ]
    private static let dates = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:48:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT",
        "Sat, 06 Nov 1993 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT",
        "0",
    ]

    private mutating func some(_ all: [String]) -> String {
        all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.joined(separator: ", ")
    }

    mutating func record() -> ResponseRecord? {
        var response = FetchResponse.sample()
        response.headers = [HeaderField("Cache-Control", some(Self.directives))]
        for name in ["Date", "Expires", "Last-Modified"] where Bool.random(using: &random) {
            let date = Self.dates[Int.random(in: 0..<Self.dates.count, using: &random)]
            response.headers.append(HeaderField(name, date))
        }
        if Bool.random(using: &random) {
            response.headers.append(HeaderField("Age", String(Int.random(in: 0...200, using: &random))))
        }
        let sentAt = noon - .seconds(Int.random(in: 0...5, using: &random))
        return ResponseRecord(request: .sample(), response: response, sentAt: sentAt, receivedAt: noon)
    }

    mutating func request() -> FetchRequest {
        .sample(["Cache-Control": some(Self.wishes)])
    }

    mutating func time() -> Timestamp {
        noon + .seconds(Int.random(in: 0...200, using: &random))
    }
}

extension Freshness {
    /// The distance of a response from being usable unchanged.
    fileprivate var rank: Int {
        switch self {
        case .usable: 0
        case .usableWhileRevalidating: 1
        case .needsRevalidation(let until): until == nil ? 3 : 2
        case .unavailable: 4
        case .unusable: 5
        }
    }
}

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread"))
struct `Properties of freshness` {
    private static let seeds = 0..<3_000

    @Test func `a response never gets fresher with time`() throws {
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let (request, times) = (exchange.request(), [exchange.time(), exchange.time()].sorted())
            let ranks = times.map { record.freshness(for: request, at: $0).rank }
            #expect(ranks[0] <= ranks[1], "seed \(seed)")
        }
    }

    @Test func `a response is not used after its lifetime unless allowed`() throws {
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let time = exchange.time()
            if record.freshness(for: .sample(), at: time) == .usable {
                #expect(time < record.freshUntil, "seed \(seed)")
            }
        }
    }

    @Test func `the time usable by all requests matches the freshness for a plain request`() {
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let time = exchange.time()
            let isUsable = record.freshness(for: .sample(), at: time) == .usable
            #expect(
                (record.usableByAll(allowing: StaleAllowance())?.contains(time) ?? false) == isUsable,
                "seed \(seed)"
            )
        }
    }

    @Test func `a plain request is served at least as well as a demanding one`() {
        let demands = ["no-cache", "max-age=30", "min-fresh=20", "max-age=0, min-fresh=1"]
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let time = exchange.time()
            let plain = record.freshness(for: .sample(), at: time).rank
            for demand in demands {
                let demanding = record.freshness(for: .sample(["Cache-Control": demand]), at: time).rank
                #expect(plain <= demanding, "seed \(seed), \(demand)")
            }
        }
    }

    @Test func `a response usable on errors is usable until a later time`() {
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let time = exchange.time()
            guard case .needsRevalidation(let until?) = record.freshness(for: exchange.request(), at: time)
            else {
                continue
            }
            #expect(until >= time, "seed \(seed)")
        }
    }

    @Test func `extreme times do not crash`() {
        var random = SeededGenerator(seed: 1)
        for seed in Self.seeds {
            var exchange = RandomExchange(random: SeededGenerator(seed: UInt64(seed)))
            guard let record = exchange.record() else { continue }
            let time = Timestamp(nanosecondsSince1970: .random(in: .min ... .max, using: &random))
            _ = record.freshness(for: exchange.request(), at: time)
        }
    }
}
