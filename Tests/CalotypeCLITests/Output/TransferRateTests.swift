import Testing

@testable import CalotypeCLI

@Suite struct TransferRateTests {
    private let start = ContinuousClock.now

    @Test func `the rate is that of all bytes at first`() {
        var rate = TransferRate(at: start)
        #expect(rate.bytesPerSecond == nil)
        rate.note(byteCount: 1000, at: start + .milliseconds(500))
        #expect(rate.bytesPerSecond == 2000)
    }

    @Test func `what came more than two seconds ago counts no longer`() throws {
        var rate = TransferRate(at: start)
        for second in 1...10 {
            rate.note(
                byteCount: second <= 5 ? second * 1_000_000 : 5_000_000 + second * 100,
                at: start + .seconds(second)
            )
        }
        #expect(try abs(#require(rate.bytesPerSecond) - 100) < 1)
    }

    @Test func `any number of notes within a moment is as good as one`() {
        var (many, one) = (TransferRate(at: start), TransferRate(at: start))
        for milliseconds in 1...99 {
            many.note(byteCount: milliseconds, at: start + .milliseconds(milliseconds))
        }
        one.note(byteCount: 99, at: start + .milliseconds(99))
        #expect(many == one)
    }

    @Test func `nothing is said of a moment, or where nothing comes`() {
        var rate = TransferRate(at: start)
        rate.note(byteCount: 1000, at: start + .milliseconds(49))
        #expect(rate.bytesPerSecond == nil)
        var stalled = TransferRate(at: start)
        stalled.note(byteCount: 0, at: start + .seconds(1))
        #expect(stalled.bytesPerSecond == nil)
    }
}
