internal import CalotypeSupport
public import FoundationEssentials

/// The frames of an animated image, decoded when they are asked for.
///
/// Decoded frames are kept in a ``FrameBudget`` that all animations of the process share, so that several
/// players of one animation decode each frame once. Frames in order are decoded from one canvas; to go back
/// costs decoding from the start where the frame is no longer kept.
public final class Animation: Sendable {
    private let source: any FrameSource
    private let firstFrame: Image?
    private let budget: FrameBudget
    /// Held while a frame is decoded: only threads that may block wait for it.
    private let decoder = Guarded<(any AnimationDecoder)?>(nil)
    private let pinned = Guarded<[Image]>([])

    /// Creates an animation over the frames of a source.
    ///
    /// - Parameters:
    ///   - source: The frames.
    ///   - firstFrame: The first frame, where it is decoded already.
    ///   - budget: Where decoded frames are kept; that of the process by default.
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

    /// The file that the animation is of, where it is shown as that file means it: not made smaller, turned
    /// or changed; `nil` otherwise, and where its codec does not keep it.
    public var encodedData: Data? { source.encodedData }

    /// How often it plays.
    public var loopCount: LoopCount { source.loopCount }

    /// How long one loop takes; at most 2⁵⁰ seconds.
    public var duration: Duration { .animation((0..<frameCount).lazy.map(source.duration(ofFrameAt:))) }

    /// How long a frame is shown; zero where there is no such frame.
    public func duration(ofFrameAt index: Int) -> Duration {
        hasFrame(at: index) ? source.duration(ofFrameAt: index) : .zero
    }

    private func hasFrame(at index: Int) -> Bool { (0..<frameCount).contains(index) }

    /// A frame that is decoded already, or `nil`; never waits.
    public func residentFrame(at index: Int) -> Image? {
        guard hasFrame(at: index) else { return nil }
        if index == 0, let firstFrame { return firstFrame }
        let own = pinned.withLock { $0.isEmpty ? nil : $0[index] }
        return own ?? budget.frame(at: index, of: ObjectIdentifier(self))
    }

    /// A frame, composited: the whole canvas as it is shown.
    ///
    /// Decodes on a thread that may block where the frame is not kept. Where the task is cancelled, the
    /// decode ends with the frame that it is at; those that were decoded on the way are kept.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Returns: The frame.
    /// - Throws: The codec's error, `DecodeError` for those of Calotype; `DecodeError` with
    ///   `invalidParameter` where there is no such frame, with `timedOut` where it takes longer than the
    ///   source allows; `CancellationError`.
    public func frame(at index: Int) async throws -> Image {
        if let frame = residentFrame(at: index) { return frame }
        let format = firstFrame?.format
        return try await Self.pool.runDecode(atMost: source.decodeDurationMax, of: { format }) {
            try self.decodeFrame(at: index)
        }
    }

    /// A frame as ``frame(at:)``, for callers that may block.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Returns: The frame.
    /// - Throws: The codec's error, `DecodeError` for those of Calotype, with `invalidParameter` where there
    ///   is no such frame.
    public func decodeFrame(at index: Int) throws -> Image {
        if let frame = residentFrame(at: index) { return frame }
        guard hasFrame(at: index) else {
            throw DecodeError(
                .invalidParameter,
                format: firstFrame?.format,
                detail: "there is no frame \(index); the animation has \(frameCount), counted from 0"
            )
        }
        return try WorkStop.limiting(to: source.decodeDurationMax) { () throws(any Error) in
            try decoder.withLock { slot throws(any Error) in try decodeFrame(at: index, &slot) }
        }
    }

    private func decodeFrame(at index: Int, _ slot: inout (any AnimationDecoder)?) throws -> Image {
        // Whoever held the lock may have decoded it.
        if let frame = residentFrame(at: index) { return frame }
        let decoder = try slot ?? source.makeDecoder()
        // A decoder that failed is of no more use.
        slot = nil
        if decoder.nextIndex > index { try decoder.seek(toward: index) }
        while true {
            // One that stands between two frames is as good as before.
            slot = decoder
            try DecodeError.checkStop(firstFrame?.format)
            slot = nil
            if let frame = try nextFrame(of: decoder, toward: index) {
                slot = decoder
                return frame
            }
        }
    }

    /// The frames on the way are kept too: who plays backwards asks for them next.
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
    /// A decoder of its own for the frames, which are kept nowhere.
    ///
    /// - Throws: The codec's error.
    package func makeFrameDecoder() throws -> any AnimationDecoder { try source.makeDecoder() }

    /// The same animation with another place for its decoded frames, which then are not shared with others.
    ///
    /// Its decoder has a canvas of its own; encoded bytes are shared.
    ///
    /// - Parameter budget: Where decoded frames are kept.
    /// - Returns: The animation.
    public func buffered(in budget: FrameBudget) -> Animation {
        Animation(source: source, firstFrame: firstFrame, budget: budget)
    }

    /// The animation whose frames are made of this one's, each when it is asked for.
    ///
    /// - Parameters:
    ///   - first: What the image's own pixels have become.
    ///   - transform: Makes a frame of a frame, on a thread that may block; all results have one size.
    /// - Returns: The animation; it plays as often, and its frames last as long.
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
    /// The image's `cost` is then that of all frames; a cache that holds it learns so when it is stored
    /// again.
    ///
    /// - Throws: As ``frame(at:)``; then nothing more is held than before.
    public func preloadAllFrames() async throws {
        guard !areAllFramesHeld else { return }
        var frames: [Image] = []
        for index in 0..<frameCount { frames.append(try await frame(at: index)) }
        hold(frames)
    }

    /// Holds all frames as ``preloadAllFrames()``, for callers that may block.
    ///
    /// - Throws: The codec's error; then nothing more is held than before.
    public func decodeAllFrames() throws {
        guard !areAllFramesHeld else { return }
        hold(try (0..<frameCount).map { index in try decodeFrame(at: index) })
    }

    private func hold(_ frames: [Image]) {
        pinned.withLock { $0 = frames }
        budget.removeFrames(of: ObjectIdentifier(self))
    }

    /// Whether all frames are held.
    public var areAllFramesHeld: Bool { pinned.withLock { !$0.isEmpty } }

    /// Lets the frames of ``preloadAllFrames()`` go.
    public func releaseFrames() {
        // Taken out first: what is released is not released under the lock.
        let frames = pinned.withLock { frames in
            defer { frames = [] }
            return frames
        }
        _ = consume frames
    }

    /// Bytes of memory that it holds: what the source keeps, and the frames of ``preloadAllFrames()``.
    ///
    /// Frames in the budget count there, and the first frame with the image.
    public var heldByteCount: Int {
        let frames = pinned.withLock { frames in
            frames.reduce(0) { $0 + ($1 === firstFrame ? 0 : $1.pixels.byteCount) }
        }
        return source.retainedByteCount + frames
    }
}
