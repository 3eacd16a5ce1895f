import CCodecs
import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.gated) struct FrameDurationTests {
    private static let longest = Duration.seconds(Int(UInt32.max))

    @Test func `a frame lasts 100 ms if unstated, and 2^32 s at most`() {
        #expect(Duration.frame(stated: nil) == .milliseconds(100))
        #expect(Duration.frame(stated: .milliseconds(11)) == .milliseconds(11))
        #expect(Duration.frame(stated: Self.longest) == Self.longest)
        #expect(Duration.frame(stated: Self.longest + .nanoseconds(1)) == Self.longest)
        #expect(Duration.frame(stated: .seconds(Int.max)) == Self.longest)
    }

    @Test func `excessive ticks of JPEG XL become the longest frame duration`() {
        var header = cc_jxl_header()
        (header.tick_seconds, header.tick_count) = (1_024, 1)
        #expect(header.duration(ticks: .max) == .seconds(1_024 * Int(UInt32.max)))
        #expect(Duration.frame(stated: header.duration(ticks: .max)) == Self.longest)
        (header.tick_seconds, header.tick_count) = (.max, 0)
        #expect(Duration.frame(stated: header.duration(ticks: .max)) == Self.longest)
    }

    @Test func `the sum of any durations fits in milliseconds`() {
        #expect(Duration.animation([]) == .zero)
        #expect(Duration.animation([.seconds(1), .milliseconds(5)]) == .milliseconds(1_005))
        let many = repeatElement(Self.longest, count: 300_000)
        #expect(Duration.animation(many) == .maxAnimation)
        #expect(Duration.animation(repeatElement(.seconds(Int.max), count: 100)) == .maxAnimation)
        #expect(
            Duration.maxAnimation.components.seconds.multipliedReportingOverflow(by: 1_000).overflow == false
        )
    }

    @Test func `the duration of a custom animation with endless frames is capped`() {
        let frames = FakeFrameSource(
            frameCount: 100,
            size: PixelSize(width: 1, height: 1),
            durations: [.seconds(Int.max)]
        )
        #expect(Animation(source: frames).duration == .maxAnimation)
    }
}
