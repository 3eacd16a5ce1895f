public import CalotypeCore
internal import CalotypeSupport

/// A source of small frames with different gray levels, which counts the decoded ones.
public final class FakeFrameSource: FrameSource {
    /// The error of the failing frame.
    public struct Failure: Error, Equatable {
        /// Creates the error; all are equal.
        public init() {}
    }

    /// The number of frames.
    public let frameCount: Int
    /// The loop count of the animation.
    public let loopCount: LoopCount
    /// The number of bytes that it claims to retain.
    public let retainedByteCount = 1000

    private let size: PixelSize
    private let firstValue: UInt8
    private let valueStep: Int
    private let durations: [Duration]
    private let failingIndex: Int?
    private let keyFrameInterval: Int
    private let decoded = Guarded<[Int]>([])

    /// Creates a source whose frames are small and last 100 ms by default.
    ///
    /// - Parameters:
    ///   - frameCount: The number of frames, at most 256.
    ///   - size: The size of each frame.
    ///   - firstValue: The gray level of the first frame.
    ///   - valueStep: The difference of gray levels between successive frames.
    ///   - loopCount: The loop count of the animation.
    ///   - durations: The durations of the frames; repeated if there are fewer than frames.
    ///   - keyFrameInterval: The distance between frames that can be decoded alone; by default only the first
    ///     can.
    ///   - failingIndex: The frame that fails to decode.
    public init(
        frameCount: Int,
        size: PixelSize = PixelSize(width: 4, height: 4),
        firstValue: UInt8 = 0,
        valueStep: Int = 1,
        loopCount: LoopCount = .infinite,
        durations: [Duration] = [.milliseconds(100)],
        keyFrameInterval: Int = .max,
        failingIndex: Int? = nil
    ) {
        self.frameCount = frameCount
        self.size = size
        self.firstValue = firstValue
        self.valueStep = valueStep
        self.loopCount = loopCount
        self.durations = durations
        self.keyFrameInterval = keyFrameInterval
        self.failingIndex = failingIndex
    }

    /// The frames decoded so far, in order.
    public var decodedIndices: [Int] { decoded.withLock { $0 } }

    /// Returns the duration of a frame.
    public func duration(ofFrameAt index: Int) -> Duration { durations[index % durations.count] }

    /// Returns a decoder at the first frame.
    public func makeDecoder() throws -> any AnimationDecoder { Decoder(source: self) }

    /// Returns the image of a frame.
    public func image(at index: Int) -> Image {
        let value = UInt8(truncatingIfNeeded: Int(firstValue) + index * valueStep)
        return TestImages.image(size, .gray8) { _, _ in
            TestImages.Pixel(red: value, green: value, blue: value, alpha: 255)
        }
    }

    private final class Decoder: AnimationDecoder {
        private let source: FakeFrameSource
        private(set) var nextIndex = 0

        init(source: FakeFrameSource) {
            self.source = source
        }

        func nextFrame() throws -> Image {
            guard nextIndex != source.failingIndex else { throw Failure() }
            let index = nextIndex
            source.decoded.withLock { $0.append(index) }
            nextIndex += 1
            return source.image(at: index)
        }

        func seek(toward index: Int) {
            nextIndex = index - index % source.keyFrameInterval
        }
    }
}
