import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TransferRateTests {
    private let start = ContinuousClock.now

    @Test func `the rate covers all bytes at first`() {
        var rate = TransferRate(at: start)
        #expect(rate.bytesPerSecond == nil)
        rate.note(byteCount: 1000, at: start + .milliseconds(500))
        #expect(rate.bytesPerSecond == 2000)
    }

    @Test func `bytes received more than two seconds ago do not count`() throws {
        var rate = TransferRate(at: start)
        for second in 1...10 {
            rate.note(
                byteCount: second <= 5 ? second * 1_000_000 : 5_000_000 + second * 100,
                at: start + .seconds(second)
            )
        }
        #expect(try abs(#require(rate.bytesPerSecond) - 100) < 1)
    }

    @Test func `several samples within a moment count as one`() {
        var (many, one) = (TransferRate(at: start), TransferRate(at: start))
        for milliseconds in 1...99 {
            many.note(byteCount: milliseconds, at: start + .milliseconds(milliseconds))
        }
        one.note(byteCount: 99, at: start + .milliseconds(99))
        #expect(many == one)
    }

    @Test func `the rate is nil within the first moment, and when nothing arrives`() {
        var rate = TransferRate(at: start)
        rate.note(byteCount: 1000, at: start + .milliseconds(49))
        #expect(rate.bytesPerSecond == nil)
        var stalled = TransferRate(at: start)
        stalled.note(byteCount: 0, at: start + .seconds(1))
        #expect(stalled.bytesPerSecond == nil)
    }
}
