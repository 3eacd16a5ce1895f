public import FoundationEssentials

/// The frames of an animation as its file keeps them: what is known of each, and a way to decode them.
///
/// Implemented by codecs. ``Animation`` puts frames that have been decoded and the caller's order over it.
public protocol FrameSource: Sendable {
    /// The number of frames; at least 1.
    var frameCount: Int { get }

    /// How often the animation plays.
    var loopCount: LoopCount { get }

    /// Bytes of memory that it keeps to decode from.
    var retainedByteCount: Int { get }

    /// The file that the frames are in, where they are shown as that file means them; `nil` unless
    /// implemented.
    var encodedData: Data? { get }

    /// How long the decode of a frame that is asked for may take, with those before it that it needs; that
    /// of `DecodeLimits` unless implemented.
    var decodeDurationMax: Duration { get }

    /// How long a frame is shown; more than zero.
    ///
    /// - Precondition: `index` is in `0..<frameCount`.
    func duration(ofFrameAt index: Int) -> Duration

    /// Makes a decoder that stands before the first frame.
    ///
    /// - Throws: The codec's error.
    func makeDecoder() throws -> any AnimationDecoder
}

extension FrameSource {
    /// None.
    public var encodedData: Data? { nil }

    /// The time that `DecodeLimits` give a decode.
    public var decodeDurationMax: Duration { DecodeLimits().durationMax }
}

/// Decodes the frames of an animation in order, with memory for one canvas.
///
/// Calls block while they work. One caller at a time.
public protocol AnimationDecoder: AnyObject {
    /// The index of the frame that ``nextFrame()`` gives.
    var nextIndex: Int { get }

    /// Composites the next frame: the whole canvas as it is shown.
    ///
    /// After an error the decoder is not used again.
    ///
    /// - Throws: The codec's error; then there are no pixels.
    func nextFrame() throws -> Image

    /// Moves to a frame from which decoding can go on: the last such frame that is not after `index`.
    ///
    /// ``nextIndex`` is then at most `index`. A decoder may always move to 0.
    ///
    /// - Throws: The codec's error.
    func seek(toward index: Int) throws
}
