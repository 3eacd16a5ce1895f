import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// The cost of refusing a URL: no form costs the square of its length.
@Suite(.gated, .serialized) struct URLCostTests {
    static let parts = [
        "%", ":", "/", "@", "?", "a", "=", ",", ".", "%2", "%25", "%2F", "%3A", "%3a", "%3F", "%40", "%00",
        "%zz",
        "://", ":/", "http://", "a@", "/a", "/S", "/aHR0cA", "/aHR0c!", "aHR0cDov", "/-", "/_", "/plain/",
        "plain/",
        "//", "/w:1", "/w:", "/:", "w:1:", "/pr:a", "/rs:fit:1:1", "x", "1x1:", "/1x1", "/filters:",
        "filters:a():",
        "filters:(", "(", ")", "trim:", "/smart", "é", "\u{1F468}\u{200D}", "%C3", "%f0%9f", "[", "]", "\\",
        "local:///",
        "YWFh", "/aHR0cDovL2EudGVzdC9i", ":/%3A%2F%253A%252F", "/http%3A", "../", "/..", "@jpg", "&#", "+",
        "~", "%2525", "%25252525", "2525",
    ]
    /// The text before the repeated parts.
    static let starts = [
        "/", "/unsafe/", "/unsafe/plain/", "/unsafe/plain/http://", "/unsafe/w:1/", "/thumbor/unsafe/",
        "/thumbor/unsafe/filters:", "/info/unsafe/plain/", "/unsafe/aHR0cDov", "/sig/",
    ]

    private static func target(_ start: String, _ part: String, _ byteCount: Int) -> String {
        let count = max(1, (byteCount - start.utf8.count) / part.utf8.count)
        return start + String(repeating: part, count: count)
    }

    /// The minimum duration of several runs, which is that of the work itself.
    private static func cost(_ target: String, _ service: ImageService, atMost limit: Duration) async throws
        -> Duration
    {
        var least = Duration.seconds(60)
        for _ in 0..<40 {
            let start = ContinuousClock.now
            _ = try await service.response(to: ServiceRequest(target: target))
            least = min(least, ContinuousClock.now - start)
            if least <= limit { break }
        }
        return least
    }

    @Test func `the cost of a URL does not grow with the square of its length`() async throws {
        let paths = SharedState(0)
        let bench = try ServiceBench()
        let service = bench.service { $0.observer = PathObserver(paths) }
        for start in Self.starts {
            for part in Self.parts {
                // Shares the thread with other tests.
                await Task.yield()
                let short = try await Self.cost(Self.target(start, part, 1_024), service, atMost: .zero)
                // Proportional cost is 8 times as much, quadratic cost 64 times.
                let limit = short * 32
                let long = try await Self.cost(Self.target(start, part, 8_000), service, atMost: limit)
                #expect(long <= limit, "\(start) \(part): \(short) and \(long)")
            }
        }
        #expect(paths.value > 0)
    }
}

/// Reads the path like a log.
private struct PathObserver: ServiceObserver {
    let count: SharedState<Int>

    init(_ count: SharedState<Int>) { self.count = count }

    func didRespond(_ record: ServiceRecord) {
        let byteCount = record.path?.utf8.count ?? 0
        count.withLock { $0 += byteCount }
    }
}
