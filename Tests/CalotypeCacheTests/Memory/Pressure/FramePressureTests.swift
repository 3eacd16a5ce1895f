import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct FramePressureTests {
    private let budget = FrameBudget(maxByteCount: 1 << 20)

    private func fill(_ count: Int) throws -> Animation {
        let animation = Animation(source: FakeFrameSource(frameCount: count), budget: budget)
        for index in 0..<count { _ = try animation.decodeFrame(at: index) }
        return animation
    }

    @Test func `a warning releases the half of the frames unused for longest`() throws {
        let animation = try fill(10)
        let byteCount = budget.byteCount
        budget.relieve(.warning)
        #expect(budget.byteCount == byteCount / 2)
        #expect(animation.residentFrame(at: 0) == nil)
        #expect(animation.residentFrame(at: 9) != nil)
        #expect(budget.maxByteCount == 1 << 20)
    }

    @Test func `a critical shortage releases all frames, which can be decoded again`() throws {
        let animation = try fill(3)
        budget.relieve(.critical)
        #expect(budget.byteCount == 0)
        #expect(try animation.decodeFrame(at: 2).size.width == 4)
    }

    @Test func `an image cache subscribes its frames to pressure for its lifetime`() {
        let source = FakeMemoryPressureSource()
        do {
            let cache = ImageCache(memory: ImageCache.Memory(pressureSource: source))
            #expect(source.subscriberCount == 2)
            _ = consume cache
        }
        #expect(source.subscriberCount == 0)
    }
}
