import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.blocking) struct GIFFramePlannerTests {
    private let red: UInt32 = 0xFFFF_0000
    private let blue: UInt32 = 0xFF00_00FF

    private func plans(_ width: Int, _ frames: [[UInt32]]) -> [GIFPlannedFrame] {
        var planner = GIFFramePlanner(width: width, height: (frames.first?.count ?? 0) / width)
        var plans = frames.enumerated().compactMap { planner.add($1, delay: $0) }
        if let last = planner.finish() { plans.append(last) }
        return plans
    }

    @Test func `only opaque pixels of the first frame are drawn`() {
        let plans = plans(2, [[0, red, 0, blue]])
        #expect(
            plans == [
                GIFPlannedFrame(
                    rect: GIFRect(left: 1, top: 0, width: 1, height: 2),
                    disposal: .keep,
                    drawn: [red, blue],
                    all: [red, blue],
                    delay: 0
                )
            ]
        )
    }

    @Test func `a frame is cut to its changed rectangle without unchanged pixels`() {
        let plans = plans(4, [[red, red, red, red], [red, blue, red, blue]])
        #expect(plans[1].rect == GIFRect(left: 1, top: 0, width: 3, height: 1))
        #expect(plans[1].drawn == [blue, 0, blue] && plans[1].all == [blue, red, blue])
        #expect(plans[1].disposal == .keep && plans[1].delay == 1)
    }

    @Test func `an unchanged frame has one pixel that does not change`() {
        let plans = plans(2, [[red, red], [red, red]])
        #expect(plans[1].rect == GIFRect(left: 0, top: 0, width: 1, height: 1))
        #expect(plans[1].drawn == [0])
    }

    @Test func `a pixel that becomes transparent makes the previous frame clear its rectangle`() {
        let plans = plans(4, [[red, red, red, red], [red, red, blue, red], [red, 0, blue, red]])
        #expect(plans[0].disposal == .keep)
        #expect(plans[1].disposal == .background)
        #expect(plans[1].rect == GIFRect(left: 1, top: 0, width: 2, height: 1))
        // Pixels cleared along with it are drawn again.
        #expect(plans[2].rect == GIFRect(left: 2, top: 0, width: 1, height: 1))
        #expect(plans[2].drawn == [blue] && plans[2].disposal == .keep)
    }
}
