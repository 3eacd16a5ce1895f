internal import CalotypeSupport

/// Plays the frames of an animation at their due times.
///
/// ``frames`` is the playback: it yields each frame when it is due, and decodes the next one meanwhile. No
/// frame is skipped: if decoding or the caller takes longer than a frame's duration, the later frames are
/// delayed. Every member may be called from any thread and takes effect at once, even between two frames.
///
/// ```swift
/// for try await frame in AnimationPlayer(animation).frames { draw(frame.image) }
/// ```
public final class AnimationPlayer: Sendable {
    /// A frame that is due now.
    public struct Frame: Sendable {
        /// The whole canvas.
        public let image: Image
        /// Its index in the animation.
        public let index: Int
        /// The number of complete loops before this frame.
        public let completedLoopCount: Int
    }

    /// The played animation; with a frame buffer of the player's own, a different object from the one passed
    /// in.
    public let animation: Animation

    private let state: Guarded<PlaybackState>
    private let timer: PlaybackTimer
    private let onLoop: (@Sendable (Int) -> Void)?

    /// Creates a player positioned before its first frame.
    ///
    /// - Parameters:
    ///   - animation: The animation to play.
    ///   - mode: The order of the frames.
    ///   - rate: The speed: 2 plays twice as fast as the file states; 0 or less stops at the current frame.
    ///   - loopCount: The number of loops; by default that of the file.
    ///   - maxFrameBufferByteCount: The size in bytes of a frame cache of the player's own; by default `nil`,
    ///     for the budget that all players share (``FrameBudget/shared``). With 0, frames are never cached.
    ///   - clock: The clock of the playback.
    ///   - onLoop: Called after each loop with the number of complete loops.
    public init(
        _ animation: Animation,
        mode: PlaybackMode = .normal,
        rate: Double = 1,
        loopCount: LoopCount? = nil,
        maxFrameBufferByteCount: Int? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        onLoop: (@Sendable (_ completedLoopCount: Int) -> Void)? = nil
    ) {
        self.animation =
            maxFrameBufferByteCount.map { animation.buffered(in: FrameBudget(maxByteCount: $0)) } ?? animation
        self.onLoop = onLoop
        timer = PlaybackTimer(clock)
        let order = PlaybackOrder(
            frameCount: animation.frameCount,
            mode: mode,
            loopCount: loopCount ?? animation.loopCount
        )
        state = Guarded(PlaybackState(order: order, rate: rate))
    }

    /// The speed: 2 plays twice as fast as the file states; 0 or less stops at the current frame.
    public var rate: Double {
        get { state.withLock { $0.rate } }
        set { change { $0.rate = newValue } }
    }

    /// The order of the frames.
    public var mode: PlaybackMode {
        get { state.withLock { $0.order.mode } }
        set { change { $0.order.mode = newValue } }
    }

    /// Whether the playback is paused at its frame; false by default.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { change { $0.isPaused = newValue } }
    }

    /// The index of the frame shown last, or of the first one to show.
    public var currentIndex: Int { state.withLock { $0.order.index } }

    /// The number of complete loops.
    public var completedLoopCount: Int { state.withLock { $0.order.completedLoopCount } }

    /// Shows a frame now and continues from there; also works while the playback is paused.
    ///
    /// - Parameters:
    ///   - index: The frame, clamped to the existing frames.
    ///   - completedLoopCount: The number of loops to count as shown; 0 by default.
    public func seek(to index: Int, completedLoopCount: Int = 0) {
        change { state in
            state.order.seek(to: index, completedLoopCount: completedLoopCount)
            state.shownAt = nil
            state.isOver = false
        }
    }

    /// The playback from the current frame on, or from the first if the last loop is over; ends after the
    /// last loop, or when its task is cancelled.
    ///
    /// One iteration at a time.
    public var frames: Frames { Frames(player: self) }

    private func change(_ change: @Sendable (inout PlaybackState) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            state.changeCount += 1
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.finish()
    }
}

extension AnimationPlayer {
    /// The frames of a playback, each yielded when it is due.
    public struct Frames: AsyncSequence, Sendable {
        fileprivate let player: AnimationPlayer

        /// Starts at the player's current frame.
        public func makeAsyncIterator() -> Iterator { Iterator(player: player) }

        /// Waits for one frame after another.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let player: AnimationPlayer
            private var isStarted = false

            fileprivate init(player: AnimationPlayer) {
                self.player = player
            }

            /// Returns the next frame when it is due; `nil` after the last loop.
            ///
            /// - Throws: The codec's error if a frame fails to decode, or `CancellationError`.
            public mutating func next() async throws -> Frame? {
                if !isStarted { player.begin() }
                isStarted = true
                return try await player.nextFrame()
            }
        }
    }

    private func begin() {
        change { state in
            if state.isOver { state.order.restart() }
            state.shownAt = nil
            state.isOver = false
        }
    }

    /// Decodes the next frame and waits until it is due; plans again after a change in between.
    private func nextFrame() async throws -> Frame? {
        while true {
            try Task.checkCancellation()
            let plan = state.withLock { $0 }
            if plan.isOver { return nil }
            var order = plan.order
            let goesOn = plan.shownAt == nil || order.advance()
            let image = goesOn ? try await animation.frame(at: order.index) : nil
            guard try await wait(for: plan), commit(order, isOver: !goesOn, after: plan) else { continue }
            if order.completedLoopCount > plan.order.completedLoopCount { onLoop?(order.completedLoopCount) }
            guard let image else { return nil }
            return Frame(image: image, index: order.index, completedLoopCount: order.completedLoopCount)
        }
    }

    /// Waits for the end of the shown frame's duration; false if something changed before.
    private func wait(for plan: PlaybackState) async throws -> Bool {
        guard let shownAt = plan.shownAt else { return true }
        let changes = AsyncStream<Never>.makeStream()
        let isCurrent = state.withLock { state in
            guard state.changeCount == plan.changeCount else { return false }
            state.waiter = changes.continuation
            return true
        }
        guard isCurrent else { return false }
        let rate = plan.isPaused ? 0 : plan.rate
        let due = rate > 0 ? shownAt + animation.duration(ofFrameAt: plan.order.index) / rate : nil
        return try await timer.wait(until: due, unless: changes.stream)
    }

    /// Takes the step unless something changed since it was planned.
    private func commit(_ order: PlaybackOrder, isOver: Bool, after plan: PlaybackState) -> Bool {
        let now = timer.now()
        return state.withLock { state in
            guard state.changeCount == plan.changeCount else { return false }
            state.order = order
            state.shownAt = now
            state.isOver = isOver
            return true
        }
    }
}

private struct PlaybackState: Sendable {
    var order: PlaybackOrder
    var rate: Double
    var isPaused = false
    /// The time when the current frame was shown; `nil` before that.
    var shownAt: Duration?
    /// True if the last loop has been shown.
    var isOver = false
    /// Incremented by each change, so that an outdated step is planned again.
    var changeCount = 0
    /// Finished to end a wait early.
    var waiter: AsyncStream<Never>.Continuation?
}

/// A clock of any type, counted from the creation of the player.
private struct PlaybackTimer: Sendable {
    let now: @Sendable () -> Duration
    private let sleep: @Sendable (_ until: Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// Waits until a time, or forever if it is `nil`; false if the stream ends before.
    func wait(until time: Duration?, unless stream: AsyncStream<Never>) async throws -> Bool {
        if let time, time <= now() { return true }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream {}
                // Cancellation ends the stream early too.
                try Task.checkCancellation()
                return false
            }
            if let time {
                group.addTask {
                    try await sleep(time)
                    return true
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}
