import TestSupport
import Testing

@testable import CalotypeCore

@Suite(.gated) struct PlaybackOrderTests {
    /// The shown frames, until the end or up to `count`.
    private func shown(
        _ frameCount: Int,
        _ mode: PlaybackMode,
        _ loopCount: LoopCount = .infinite,
        count: Int = 12
    ) -> [Int] {
        var order = PlaybackOrder(frameCount: frameCount, mode: mode, loopCount: loopCount)
        var shown = [order.index]
        while shown.count < count, order.advance() { shown.append(order.index) }
        return shown
    }

    @Test func `each mode has its frame order`() {
        #expect(shown(4, .normal) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
        #expect(shown(4, .reverse) == [3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0])
        #expect(shown(4, .bounce) == [0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1])
        #expect(shown(4, .reverseBounce) == [3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2])
        #expect(shown(2, .bounce, count: 6) == [0, 1, 0, 1, 0, 1])
        #expect(shown(1, .bounce, count: 3) == [0, 0, 0])
    }

    @Test func `a missing frame is replaced by the nearest`() {
        var order = PlaybackOrder(frameCount: 4, mode: .normal, loopCount: .infinite)
        order.seek(to: 9, completedLoopCount: 0)
        #expect(order.index == 3)
        order.seek(to: -1, completedLoopCount: 0)
        #expect(order.index == 0)
    }

    @Test func `the last loop ends at the last frame of its mode`() {
        #expect(shown(3, .normal, .times(2)) == [0, 1, 2, 0, 1, 2])
        #expect(shown(3, .reverse, .times(1)) == [2, 1, 0])
        #expect(shown(3, .bounce, .times(2)) == [0, 1, 2, 1, 0, 1, 2, 1, 0])
        #expect(shown(3, .reverseBounce, .times(1)) == [2, 1, 0, 1, 2])
        #expect(shown(1, .normal, .times(3)) == [0, 0, 0])
    }

    @Test func `loops are counted on completion`() {
        var order = PlaybackOrder(frameCount: 2, mode: .normal, loopCount: .times(2))
        #expect(order.advance() && order.completedLoopCount == 0)
        #expect(order.advance() && order.completedLoopCount == 1)
        #expect(order.advance() && order.completedLoopCount == 1)
        #expect(!order.advance() && order.completedLoopCount == 2 && order.index == 1)
    }

    @Test func `a change of mode continues from the current frame`() {
        var order = PlaybackOrder(frameCount: 5, mode: .normal, loopCount: .infinite)
        order.seek(to: 2, completedLoopCount: 0)
        order.mode = .reverse
        #expect(order.advance() && order.index == 1)
        order.mode = .bounce
        #expect(order.advance() && order.index == 2)
    }
}
