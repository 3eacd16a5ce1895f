import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CalotypeCLI

/// The cost of refusing a URL: the processor time of the whole service, from the socket to the response.
@Suite(.waiting, .serialized) struct URLCostEndToEndTests {
    /// The maximum cost of 8 kB, in requests for a short path.
    ///
    /// Unoptimised code takes more for each byte.
    private static let maxCost = _isDebugAssertConfiguration() ? 16.0 : 3.0
    private static let byteCount = 8_000
    private static let maxRoundCount = 40
    private static let threads = BlockingPool(width: 1, name: "cost")

    private static let starts = [
        "/", "/unsafe/", "/unsafe/plain/http://", "/unsafe/w:1/", "/thumbor/unsafe/",
        "/info/unsafe/plain/", "/sig/",
    ]
    private static let parts = [
        "%", ":", "/", "a", "%2", "%25", "%2F", "%3A", "%zz", "://", "@", "?", "=", ",", "/aHR0cA", "%2525",
        "/w:1", "w:1:", "filters:a():", "%:/", "a%:/@?=&", ":/%3A%2F%253A", "/..", "%C3", "1x1:",
    ]

    /// Requests on a kept connection, with the processor time of the service that they take.
    private final class Meter {
        struct NoClock: Error {}

        private let port: Int
        private let clock: clockid_t
        private var connection: RawConnection

        init(_ service: RunningService) throws {
            var clock = clockid_t()
            guard clock_getcpuclockid(service.processID, &clock) == 0 else { throw NoClock() }
            (self.clock, port) = (clock, service.port)
            connection = try RawConnection(port: service.port)
        }

        deinit { connection.close() }

        private var processorTime: Duration {
            var time = timespec()
            clock_gettime(clock, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }

        /// Returns the head of the response to a target.
        func answer(_ target: String) throws -> String {
            connection.send("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n")
            let head = try connection.answer().head
            if head.contains("Connection: close") {
                connection.close()
                connection = try RawConnection(port: port)
            }
            return head
        }

        /// The least processor time of several rounds, which is that of the request itself; ends once it is
        /// at most `limit`.
        func cost(of target: String, atMost limit: Duration = .zero) throws -> Duration {
            var least = Duration.seconds(60)
            for _ in 0..<URLCostEndToEndTests.maxRoundCount where least > limit {
                let start = processorTime
                for _ in 0..<8 { _ = try answer(target) }
                least = min(least, (processorTime - start) / 8)
            }
            return least
        }
    }

    @Test func `refusing 8 kB of any URL costs at most three times a short one`() async throws {
        // With log lines of all requests, whose paths are searched for secrets.
        let options = ["--cache-dir=none", "--sandbox=off", "--log-level=info"]
        let service = try await RunningService.start(options)
        let result = await Result { () async throws -> [String] in
            try await Self.threads.run { () throws -> [String] in try Self.breaches(Meter(service)) }
        }
        await service.end()
        #expect(try result.get() == [])
    }

    /// Returns the URLs that cost too much, or that are not refused; ends after three of them.
    private static func breaches(_ meter: Meter) throws -> [String] {
        var breaches: [String] = []
        let plain = try meter.cost(of: "/a")
        for (start, part) in starts.flatMap({ start in parts.map { (start, $0) } }) where breaches.count < 3 {
            let count = (byteCount - start.utf8.count) / part.utf8.count
            let target = start + String(repeating: part, count: count)
            let status = try meter.answer(target).prefix(12)
            let cost = try meter.cost(of: target, atMost: plain * maxCost)
            guard status.hasPrefix("HTTP/1.1 4"), cost <= plain * maxCost else {
                breaches.append("\(start) \(part): \(status) for \(cost), and \(plain) for /a")
                continue
            }
        }
        return breaches
    }
}
