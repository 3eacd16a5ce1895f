public import CalotypeCore
internal import CalotypeSupport

/// The frames of an animation that there is no file for: each gray, the first of the value 7, each next one
/// lighter by 1; counts what it decodes.
public final class FakeFrameSource: FrameSource {
    /// What its decoders throw when they are told to.
    public struct Failure: Error, Hashable, Sendable {
        /// Creates the error.
        public init() {}
    }

    /// The number of frames.
    public let frameCount: Int
    /// How often it plays; for ever.
    public var loopCount: LoopCount { .infinite }
    /// Bytes that it says it keeps; 100.
    public var retainedByteCount: Int { 100 }

    fileprivate let size: PixelSize
    fileprivate let failingIndex: Int?
    fileprivate let count = Guarded(0)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - frameCount: The number of frames.
    ///   - size: The size of each.
    ///   - failingIndex: The frame that cannot be decoded; none by default.
    public init(frameCount: Int, size: PixelSize, failingIndex: Int? = nil) {
        self.frameCount = frameCount
        self.size = size
        self.failingIndex = failingIndex
    }

    /// How many frames were decoded.
    public var decodeCount: Int { count.withLock { $0 } }

    /// How long a frame is shown; 100 ms.
    public func duration(ofFrameAt index: Int) -> Duration { .milliseconds(100) }

    /// Makes a decoder that stands before the first frame.
    public func makeDecoder() -> any AnimationDecoder { FakeAnimationDecoder(source: self) }

    /// A frame's picture.
    public func image(at index: Int) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount) {
            (bytes: UnsafeMutableRawBufferPointer) throws(Never) in
            for offset in bytes.indices { bytes[offset] = UInt8(truncatingIfNeeded: 7 + index) }
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels, format: FakeImageDecoder.format)
    }
}

private final class FakeAnimationDecoder: AnimationDecoder {
    let source: FakeFrameSource
    var nextIndex = 0

    init(source: FakeFrameSource) {
        self.source = source
    }

    func nextFrame() throws -> Image {
        guard nextIndex != source.failingIndex else { throw FakeFrameSource.Failure() }
        defer { nextIndex += 1 }
        source.count.withLock { $0 += 1 }
        return source.image(at: nextIndex)
    }

    func seek(toward index: Int) {
        nextIndex = 0
    }
}
