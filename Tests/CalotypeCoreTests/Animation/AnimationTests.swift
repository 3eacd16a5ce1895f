import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct AnimationTests {
    private let budget = FrameBudget(maxByteCount: 1 << 20)

    private func value(_ image: Image) -> UInt8 { image.rgba8()[0] }

    @Test func `frames in order are decoded once each, for all players of an animation`() throws {
        let source = FakeFrameSource(frameCount: 10)
        let animation = Animation(source: source, budget: budget)
        for _ in 0..<3 {
            for index in 0..<10 { #expect(value(try animation.decodeFrame(at: index)) == index) }
        }
        #expect(source.decodedIndices == Array(0..<10))
    }

    @Test(arguments: [-1, 10, Int.max])
    func `a missing frame is an error without a duration`(index: Int) async throws {
        let animation = Animation(source: FakeFrameSource(frameCount: 10), budget: budget)
        #expect(animation.residentFrame(at: index) == nil && animation.duration(ofFrameAt: index) == .zero)
        let message = "there is no frame \(index); the animation has 10, counted from 0"
        let missing = DecodeError(.invalidParameter, detail: message)
        #expect(throws: missing) { try animation.decodeFrame(at: index) }
        await #expect(throws: missing) { try await animation.frame(at: index) }
    }

    @Test func `the description of an image has its size, format and frame count`() throws {
        let animation = Animation(source: FakeFrameSource(frameCount: 10), budget: budget)
        let frame = try animation.decodeFrame(at: 0)
        #expect("\(frame)" == "\(frame.size) pixels")
        #expect("\(frame.replacing(animation: animation, format: .gif))" == "\(frame.size) gif, 10 frames")
    }

    @Test(arguments: [Int.max, Int.min, -3, 30])
    func `a duration of any number of days is valid`(count: Int) {
        let days = Duration.days(count)
        #expect(count.magnitude > 100 ? days == .seconds(count) : days == .seconds(86_400 * count))
    }

    @Test func `a budget of one frame still decodes each frame once per loop`() throws {
        let source = FakeFrameSource(frameCount: 5)
        let animation = Animation(source: source, budget: FrameBudget(maxByteCount: 16))
        for index in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4] { _ = try animation.decodeFrame(at: index) }
        #expect(source.decodedIndices == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    }

    @Test func `frames decoded in any order match the file`() throws {
        var random = SeededGenerator(seed: 3)
        for budget in [0, 16, 48, 1 << 20].map(FrameBudget.init(maxByteCount:)) {
            let animation = Animation(
                source: FakeFrameSource(frameCount: 12, keyFrameInterval: 5),
                budget: budget
            )
            for _ in 0..<200 {
                let index = Int.random(in: 0..<12, using: &random)
                #expect(value(try animation.decodeFrame(at: index)) == index)
                #expect(budget.byteCount <= budget.maxByteCount)
            }
        }
    }

    @Test func `playing backwards decodes each frame once if the budget holds them`() throws {
        let source = FakeFrameSource(frameCount: 10)
        let animation = Animation(source: source, budget: budget)
        for index in (0..<10).reversed() { _ = try animation.decodeFrame(at: index) }
        #expect(source.decodedIndices == Array(0..<10))
    }

    @Test func `seeking back starts from the nearest key frame`() throws {
        let source = FakeFrameSource(frameCount: 10, keyFrameInterval: 4)
        let animation = Animation(source: source, budget: FrameBudget(maxByteCount: 0))
        _ = try animation.decodeFrame(at: 9)
        _ = try animation.decodeFrame(at: 6)
        #expect(source.decodedIndices.suffix(3) == [4, 5, 6])
    }

    @Test func `a given first frame is not decoded again`() throws {
        let source = FakeFrameSource(frameCount: 2)
        let first = source.image(at: 0)
        let animation = Animation(source: source, firstFrame: first, budget: budget)
        #expect(try animation.decodeFrame(at: 0) === first)
        #expect(animation.residentFrame(at: 0) === first && animation.residentFrame(at: 1) == nil)
        #expect(source.decodedIndices.isEmpty)
    }

    @Test func `the cost of an image includes the frames its animation holds`() async throws {
        let source = FakeFrameSource(frameCount: 4)
        let still = source.image(at: 0)
        let animation = Animation(source: source, firstFrame: still, budget: budget)
        let image = Image(
            size: still.size,
            pixelFormat: .gray8,
            pixels: still.pixels,
            animation: animation
        )
        #expect(still.cost == 16 && image.cost == 16 + 1000)
        try await animation.preloadAllFrames()
        #expect(image.cost == 4 * 16 + 1000 && animation.areAllFramesLoaded)
        #expect(budget.byteCount == 0)
        #expect(try value(#require(animation.residentFrame(at: 3))) == 3)
        animation.releaseFrames()
        #expect(image.cost == 16 + 1000 && !animation.areAllFramesLoaded)
    }

    @Test func `a deallocated animation leaves no bytes in the budget`() throws {
        do {
            let animation = Animation(source: FakeFrameSource(frameCount: 3), budget: budget)
            _ = try animation.decodeFrame(at: 2)
            #expect(budget.byteCount == 48)
        }
        #expect(budget.byteCount == 0)
    }

    @Test func `a lowered budget evicts the least recently used frames`() throws {
        let animation = Animation(source: FakeFrameSource(frameCount: 4), budget: budget)
        _ = try animation.decodeFrame(at: 3)
        _ = animation.residentFrame(at: 0)
        budget.maxByteCount = 32
        #expect((0..<4).map { animation.residentFrame(at: $0) != nil } == [true, false, false, true])
    }

    @Test func `a frame that cannot be decoded is an error, and earlier frames still decode`() throws {
        let source = FakeFrameSource(frameCount: 5, failingIndex: 3)
        let animation = Animation(source: source, budget: FrameBudget(maxByteCount: 0))
        #expect(throws: FakeFrameSource.Failure()) { try animation.decodeFrame(at: 4) }
        #expect(value(try animation.decodeFrame(at: 2)) == 2)
        #expect(throws: FakeFrameSource.Failure()) { try animation.decodeAllFrames() }
        #expect(!animation.areAllFramesLoaded)
    }

    @Test func `concurrent tasks get the right frames, each decoded once`() async throws {
        let source = FakeFrameSource(frameCount: 50)
        let animation = Animation(source: source, budget: budget)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for round in 0..<400 {
                group.addTask {
                    let index = round * 7 % 50
                    return try await animation.frame(at: index).rgba8()[0] == index
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(Set(source.decodedIndices).count == source.decodedIndices.count)
    }
}
