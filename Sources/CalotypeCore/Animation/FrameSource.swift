public import FoundationEssentials

/// The encoded frames of an animation: their properties, and a decoder.
///
/// Implemented by codecs. ``Animation`` adds caching and random access.
public protocol FrameSource: Sendable {
    /// The number of frames; at least 1.
    var frameCount: Int { get }

    /// The number of times that the animation plays.
    var loopCount: LoopCount { get }

    /// Bytes of memory that it retains to decode from.
    var retainedByteCount: Int { get }

    /// The encoded file, if the frames show it unchanged; `nil` by default.
    var encodedData: Data? { get }

    /// The time limit for decoding one requested frame, including the frames before it that it needs; by
    /// default that of `DecodeLimits`.
    var maxDecodeDuration: Duration { get }

    /// Returns the duration of a frame; more than zero.
    ///
    /// - Precondition: `index` is in `0..<frameCount`.
    func duration(ofFrameAt index: Int) -> Duration

    /// Makes a decoder positioned before the first frame.
    ///
    /// - Throws: The codec's error.
    func makeDecoder() throws -> any AnimationDecoder
}

extension FrameSource {
    /// `nil`.
    public var encodedData: Data? { nil }

    /// The default of `DecodeLimits.maxDuration`.
    public var maxDecodeDuration: Duration { DecodeLimits().maxDuration }
}

/// Decodes the frames of an animation in order, with memory for one canvas.
///
/// Calls block while they work. One caller at a time.
public protocol AnimationDecoder: AnyObject {
    /// The index of the frame that ``nextFrame()`` returns.
    var nextIndex: Int { get }

    /// Composites the next frame: the whole canvas as it is shown.
    ///
    /// After an error the decoder is not used again.
    ///
    /// - Throws: The codec's error, without pixels.
    func nextFrame() throws -> Image

    /// Moves to the last frame at or before `index` from which decoding can start.
    ///
    /// ``nextIndex`` is then at most `index`. A decoder may always move to 0.
    ///
    /// - Throws: The codec's error.
    func seek(toward index: Int) throws
}
