import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `The rate of requests` {
    @Test func `a burst starts at once, and the rest at the rate`() {
        var bucket = TokenBucket(RateLimit(requestsPerSecond: 2, maxBurstCount: 3))
        let waits = (1...6).map { _ in bucket.take(at: .seconds(10)) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(500), .seconds(1), .milliseconds(1500)])
    }

    @Test func `idle time refills the bucket up to its size`() {
        var bucket = TokenBucket(RateLimit(requestsPerSecond: 1, maxBurstCount: 2))
        for _ in 1...4 { _ = bucket.take(at: .zero) }
        // Two tokens are owed until second 2; one second later one is available, and an hour later both are.
        #expect(bucket.take(at: .seconds(4)) == .zero)
        #expect(bucket.take(at: .seconds(3600)) == .zero)
        #expect(bucket.take(at: .seconds(3600)) == .zero)
        #expect(bucket.take(at: .seconds(3600)) == .seconds(1))
    }

    @Test func `no span of time exceeds the burst and the rate together`() {
        var bucket = TokenBucket(RateLimit(requestsPerSecond: 4, maxBurstCount: 5))
        var now = Duration.zero
        var sent: [Duration] = []
        for number in 0..<400 {
            now += .milliseconds(number * 37 % 300)
            sent.append(now + bucket.take(at: now))
        }
        #expect(sent == sent.sorted())
        for (index, begin) in sent.enumerated() {
            for span in [Duration.milliseconds(100), .seconds(1), .seconds(10)] {
                let count = sent[index...].prefix { $0 < begin + span }.count
                #expect(Double(count) <= 5 + span / .seconds(1) * 4 + 0.001)
            }
        }
    }

    @Test(arguments: [
        RateLimit(requestsPerSecond: 0.05, maxBurstCount: .max), RateLimit(requestsPerSecond: 1e-30),
        RateLimit(requestsPerSecond: 1e-30, maxBurstCount: .max),
        RateLimit(requestsPerSecond: .leastNonzeroMagnitude), RateLimit(requestsPerSecond: 1e300),
    ])
    func `extreme rates are counted`(limit: RateLimit) {
        var bucket = TokenBucket(limit)
        #expect(bucket.take(at: .zero) == .zero)
        for second in 1...1_000 { #expect(bucket.take(at: .seconds(second)) >= .zero) }
    }
}
