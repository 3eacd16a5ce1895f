internal import CalotypeSupport
public import FoundationEssentials

/// The frames of an animated image, decoded on demand.
///
/// Decoded frames are cached in a ``FrameBudget`` that all animations of the process share, so several
/// players of one animation decode each frame once. Frames in order are decoded on one canvas. Going back to
/// a frame that is no longer cached decodes again from the start.
public final class Animation: Sendable {
    private let source: any FrameSource
    private let firstFrame: Image?
    private let budget: FrameBudget
    /// Held while a frame is decoded; only threads that may block wait for it.
    private let decoder = Guarded<(any AnimationDecoder)?>(nil)
    private let pinned = Guarded<[Image]>([])

    /// Creates an animation from the frames of a source.
    ///
    /// - Parameters:
    ///   - source: The frames.
    ///   - firstFrame: The first frame, if it is decoded already.
    ///   - budget: The cache for decoded frames; by default that of the process.
    /// - Precondition: There is at least one frame.
    public init(source: any FrameSource, firstFrame: Image? = nil, budget: FrameBudget = .shared) {
        precondition(source.frameCount >= 1, "an animation has at least one frame")
        self.source = source
        self.firstFrame = firstFrame
        self.budget = budget
    }

    deinit {
        budget.removeFrames(of: ObjectIdentifier(self))
    }

    /// The number of frames; at least 1.
    public var frameCount: Int { source.frameCount }

    /// The file of the animation, or `nil` if its codec does not retain the file or the frames were resized,
    /// turned or otherwise transformed.
    public var encodedData: Data? { source.encodedData }

    /// The number of times that the animation plays.
    public var loopCount: LoopCount { source.loopCount }

    /// The duration of one loop; at most 2⁵⁰ seconds.
    public var duration: Duration { .animation((0..<frameCount).lazy.map(source.duration(ofFrameAt:))) }

    /// The duration of a frame; zero if the frame does not exist.
    public func duration(ofFrameAt index: Int) -> Duration {
        hasFrame(at: index) ? source.duration(ofFrameAt: index) : .zero
    }

    private func hasFrame(at index: Int) -> Bool { (0..<frameCount).contains(index) }

    /// Returns a frame that is decoded already, or `nil`; never waits.
    public func residentFrame(at index: Int) -> Image? {
        guard hasFrame(at: index) else { return nil }
        if index == 0, let firstFrame { return firstFrame }
        let own = pinned.withLock { $0.isEmpty ? nil : $0[index] }
        return own ?? budget.frame(at: index, of: ObjectIdentifier(self))
    }

    /// Returns a composited frame: the whole canvas as it is shown.
    ///
    /// Decodes on a thread that may block, unless the frame is cached. If the task is cancelled, the decode
    /// ends with its current frame; the frames decoded until then are cached.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Returns: The frame.
    /// - Throws: The codec's error, which is `DecodeError` for the codecs of Calotype; `DecodeError` with
    ///   `invalidParameter` if the frame does not exist, or with `timedOut` if the decode exceeds the
    ///   source's limit; `CancellationError`.
    public func frame(at index: Int) async throws -> Image {
        if let frame = residentFrame(at: index) { return frame }
        let format = firstFrame?.format
        return try await Self.pool.runDecode(atMost: source.maxDecodeDuration, of: { format }) {
            try self.decodeFrame(at: index)
        }
    }

    /// Returns a frame as ``frame(at:)`` does, for callers that may block.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Returns: The frame.
    /// - Throws: The codec's error, which is `DecodeError` for the codecs of Calotype; `DecodeError` with
    ///   `invalidParameter` if the frame does not exist.
    public func decodeFrame(at index: Int) throws -> Image {
        if let frame = residentFrame(at: index) { return frame }
        guard hasFrame(at: index) else {
            throw DecodeError(
                .invalidParameter,
                format: firstFrame?.format,
                detail: "there is no frame \(index); the animation has \(frameCount), counted from 0"
            )
        }
        return try WorkStop.limiting(to: source.maxDecodeDuration) { () throws(any Error) in
            try decoder.withLock { slot throws(any Error) in try decodeFrame(at: index, &slot) }
        }
    }

    private func decodeFrame(at index: Int, _ slot: inout (any AnimationDecoder)?) throws -> Image {
        // The previous holder of the lock may have decoded the frame.
        if let frame = residentFrame(at: index) { return frame }
        let decoder = try slot ?? source.makeDecoder()
        // A decoder that failed must not be used again.
        slot = nil
        if decoder.nextIndex > index { try decoder.seek(toward: index) }
        while true {
            // A decoder between two frames remains valid.
            slot = decoder
            try DecodeError.checkStop(firstFrame?.format)
            slot = nil
            if let frame = try nextFrame(of: decoder, toward: index) {
                slot = decoder
                return frame
            }
        }
    }

    /// Caches the frames on the way too: playing backwards needs them next.
    private func nextFrame(of decoder: any AnimationDecoder, toward index: Int) throws -> Image? {
        let current = decoder.nextIndex
        precondition(current <= index, "a decoder moves to a frame before the one it is to find")
        let frame = try decoder.nextFrame()
        budget.insert(frame, at: current, of: ObjectIdentifier(self))
        return current == index ? frame : nil
    }

    private static let pool = BlockingPool(width: BlockingPool.coreCount)
}

extension Animation {
    /// Makes a separate decoder of the frames, which does not cache them.
    ///
    /// - Throws: The codec's error.
    package func makeFrameDecoder() throws -> any AnimationDecoder { try source.makeDecoder() }

    /// Returns the same animation with another cache for its decoded frames, which are then not shared.
    ///
    /// Its decoder has a canvas of its own; encoded bytes are shared.
    ///
    /// - Parameter budget: The cache for decoded frames.
    /// - Returns: The animation.
    public func buffered(in budget: FrameBudget) -> Animation {
        Animation(source: source, firstFrame: firstFrame, budget: budget)
    }

    /// Returns an animation whose frames are transformed from this one's, each on demand.
    ///
    /// - Parameters:
    ///   - first: The transformed pixels of the image itself.
    ///   - transform: Transforms a frame, on a thread that may block; all results have one size.
    /// - Returns: The animation, with the same number of plays and the same durations.
    package func mapping(
        firstFrame first: Image,
        _ transform: @escaping @Sendable (Image) throws -> Image
    ) -> Animation {
        let frames = MappedFrames(base: source, transform: transform)
        return Animation(source: frames, firstFrame: firstFrame == nil ? nil : first, budget: budget)
    }
}

extension Animation {
    /// Decodes all frames and holds them until ``releaseFrames()`` or the end of the animation.
    ///
    /// The image's `cost` then includes all frames; a cache updates the cost when the image is stored again.
    ///
    /// - Throws: The errors of ``frame(at:)``; the set of held frames is then unchanged.
    public func preloadAllFrames() async throws {
        guard !areAllFramesLoaded else { return }
        var frames: [Image] = []
        for index in 0..<frameCount { frames.append(try await frame(at: index)) }
        hold(frames)
    }

    /// Decodes and holds all frames as ``preloadAllFrames()`` does, for callers that may block.
    ///
    /// - Throws: The codec's error; the set of held frames is then unchanged.
    public func decodeAllFrames() throws {
        guard !areAllFramesLoaded else { return }
        hold(try (0..<frameCount).map { index in try decodeFrame(at: index) })
    }

    private func hold(_ frames: [Image]) {
        pinned.withLock { $0 = frames }
        budget.removeFrames(of: ObjectIdentifier(self))
    }

    /// Whether all frames are held.
    public var areAllFramesLoaded: Bool { pinned.withLock { !$0.isEmpty } }

    /// Releases the frames that ``preloadAllFrames()`` holds.
    public func releaseFrames() {
        // Moved out first, so that nothing is released under the lock.
        let frames = pinned.withLock { frames in
            defer { frames = [] }
            return frames
        }
        _ = consume frames
    }

    /// Bytes of memory that the animation holds: the source's data, and the frames of ``preloadAllFrames()``.
    ///
    /// Frames in the budget count there, and the first frame counts with the image.
    public var heldByteCount: Int {
        let frames = pinned.withLock { frames in
            frames.reduce(0) { $0 + ($1 === firstFrame ? 0 : $1.pixels.byteCount) }
        }
        return source.retainedByteCount + frames
    }
}
