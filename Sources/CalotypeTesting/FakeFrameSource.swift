public import CalotypeCore
internal import CalotypeSupport

/// Frames that are small, told apart by their gray, and counted when they are decoded.
public final class FakeFrameSource: FrameSource {
    /// What its decoders throw at the frame that fails.
    public struct Failure: Error, Equatable {
        /// Creates the error; all are alike.
        public init() {}
    }

    /// The number of frames.
    public let frameCount: Int
    /// How often it plays.
    public let loopCount: LoopCount
    /// How many bytes it claims to keep.
    public let retainedByteCount = 1000

    private let size: PixelSize
    private let firstValue: UInt8
    private let valueStep: Int
    private let durations: [Duration]
    private let failingIndex: Int?
    private let keyFrameInterval: Int
    private let decoded = Guarded<[Int]>([])

    /// Creates a source whose frames are small and last 100 ms unless told otherwise.
    ///
    /// - Parameters:
    ///   - frameCount: The number of frames, at most 256.
    ///   - size: The size of each.
    ///   - firstValue: The gray of the first.
    ///   - valueStep: By how much each next one is lighter.
    ///   - loopCount: How often it plays.
    ///   - durations: How long each frame lasts; repeated where there are fewer than frames.
    ///   - keyFrameInterval: From one frame that can be decoded alone to the next; by default only the first.
    ///   - failingIndex: A frame that does not decode.
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

    /// The frames that have been decoded, in that order.
    public var decodedIndices: [Int] { decoded.withLock { $0 } }

    /// How long a frame lasts.
    public func duration(ofFrameAt index: Int) -> Duration { durations[index % durations.count] }

    /// A decoder before the first frame.
    public func makeDecoder() throws -> any AnimationDecoder { Decoder(source: self) }

    /// A frame's picture.
    public func image(at index: Int) -> Image {
        let value = UInt8(truncatingIfNeeded: Int(firstValue) + index * valueStep)
        return TestPictures.image(size, .gray8) { _, _ in
            TestPictures.Pixel(red: value, green: value, blue: value, alpha: 255)
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
