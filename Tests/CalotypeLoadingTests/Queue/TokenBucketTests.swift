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

    @Test func `a returned turn goes to the next request, until it is due`() {
        var bucket = TokenBucket(RateLimit(requestsPerSecond: 1))
        let waits = (1...4).map { _ in bucket.take(at: .zero) }
        #expect(waits == [.zero, .seconds(1), .seconds(2), .seconds(3)])
        bucket.giveBack(.seconds(3))
        bucket.giveBack(.seconds(1))
        bucket.giveBack(.seconds(2))
        #expect(bucket.delay(at: .milliseconds(1500)) == .milliseconds(500))
        #expect(bucket.take(at: .milliseconds(1500)) == .milliseconds(500))
        #expect(bucket.take(at: .milliseconds(1500)) == .milliseconds(1500))
        #expect(bucket.take(at: .milliseconds(1500)) == .milliseconds(2500))
    }

    @Test(arguments: [nil, 3])
    func `no span of time exceeds the burst and the rate together`(returningEach number: Int?) {
        var bucket = TokenBucket(RateLimit(requestsPerSecond: 4, maxBurstCount: 5))
        var now = Duration.zero
        var sent: [Duration] = []
        for index in 0..<400 {
            now += .milliseconds(index * 37 % 300)
            let turn = now + bucket.take(at: now)
            if turn > now, let number, index.isMultiple(of: number) {
                bucket.giveBack(turn)
            } else {
                sent.append(turn)
            }
        }
        if number == nil { #expect(sent == sent.sorted()) }
        sent.sort()
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
