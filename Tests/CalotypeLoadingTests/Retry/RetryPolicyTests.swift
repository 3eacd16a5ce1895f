import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `The retry policy` {
    private let passing = FetchError(.connectionLost, isRetryable: true, detail: "")

    private func delay(
        _ retryCount: Int,
        _ error: FetchError? = nil,
        jitter: Double = 1,
        _ change: (inout RetryPolicy) -> Void = { _ in }
    ) -> Duration? {
        var policy = RetryPolicy()
        change(&policy)
        return policy.delay(afterRetries: retryCount, error: error ?? passing, jitter: jitter)
    }

    private func asking(for wait: Duration) -> FetchError {
        FetchError(.unacceptableStatus, status: 503, isRetryable: true, retryAfter: wait, detail: "")
    }

    @Test func `the defaults match the documentation`() {
        let policy = RetryPolicy()
        #expect(policy.maxRetryCount == 2)
        #expect(policy.maxFirstDelay == .milliseconds(500))
        #expect(policy.maxDelay == .seconds(10))
        #expect(RetryPolicy.none.maxRetryCount == 0)
    }

    @Test func `two retries are made at most`() {
        #expect(delay(0) != nil)
        #expect(delay(1) != nil)
        #expect(delay(2) == nil)
        #expect(RetryPolicy.none.delay(afterRetries: 0, error: passing, jitter: 0) == nil)
    }

    @Test func `a full queue is not retried`() {
        #expect(delay(0, FetchError(.overloaded, isRetryable: true, detail: "")) == nil)
    }

    @Test func `a permanent failure is not retried`() {
        #expect(delay(0, FetchError(.unacceptableStatus, status: 404, detail: "")) == nil)
    }

    @Test func `the bound doubles up to its limit`() {
        let delays = (0..<70).map { count in delay(count) { $0.maxRetryCount = .max } }
        #expect(Array(delays.prefix(6)) == [0.5, 1, 2, 4, 8, 10].map { Duration.seconds($0) })
        #expect(delays.dropFirst(5).allSatisfy { $0 == .seconds(10) })
        #expect(delay(.max) { $0.maxRetryCount = .max } == nil)
        #expect(delay(.max - 1) { $0.maxRetryCount = .max } == .seconds(10))
    }

    @Test func `the delay is drawn between zero and the bound`() {
        #expect(delay(1, jitter: 0) == .zero)
        #expect(delay(1, jitter: 0.25) == .milliseconds(250))
        #expect(delay(1, jitter: 7) == .seconds(1))
        #expect(delay(1, jitter: -7) == .zero)
    }

    @Test func `the Retry-After is the minimum delay, up to the limit`() {
        #expect(delay(0, asking(for: .seconds(3)), jitter: 0) == .seconds(3))
        #expect(delay(1, asking(for: .milliseconds(1)), jitter: 1) == .seconds(1))
        #expect(delay(0, asking(for: .seconds(10))) == .seconds(10))
        #expect(delay(0, asking(for: .seconds(11))) == nil)
    }

    @Test func `a policy of zero or invalid values has no delay`() {
        #expect(delay(0) { $0.maxFirstDelay = .zero } == .zero)
        #expect(delay(0) { $0.maxFirstDelay = .seconds(-5) } == .zero)
        #expect(delay(0) { $0.maxDelay = .seconds(-5) } == nil)
    }

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("99999999999999999999", 1 << 31),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sun, 06 Nov 1994 08:40:37 GMT", 0), ("Sunday, 06-Nov-94 08:49:38 GMT", 1),
    ])
    func `Retry-After is parsed as seconds and as a date`(text: String, seconds: Int64) {
        let headers = [
            HeaderField("retry-after", text), HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(headers.retryAfter == .seconds(seconds))
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "1 2"])
    func `an invalid Retry-After is nil`(text: String) {
        let headers = [
            HeaderField("Retry-After", text), HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(headers.retryAfter == nil)
    }

    @Test func `a Retry-After date without a Date field is nil`() {
        #expect([HeaderField("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")].retryAfter == nil)
    }
}

@Suite(.gated)
struct `Ranges of content` {
    @Test func `start and total are parsed`() {
        #expect(ContentRange("bytes 5-9/10")?.start == 5)
        #expect(ContentRange("BYTES 5-9/10")?.totalByteCount == 10)
        #expect(ContentRange("bytes 0-0/1")?.start == 0)
        let unknown = ContentRange("bytes 5-9/*")
        #expect(unknown?.start == 5 && unknown?.totalByteCount == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 5-9", "bytes 5-9/", "bytes 9-5/10", "bytes 5-10/10", "bytes */10",
        "bytes -5/10",
        "bytes 5-/10", "items 5-9/10", "bytes=5-9/10", "bytes 5-9/10/11", "bytes 5-9-9/10", "bytes +5-9/10",
        "bytes 5 -9/10", "bytes 5-99999999999999999999/100000000000000000000", "bytes ٥-9/10",
    ])
    func `parsing an invalid range returns nil`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
