internal import CalotypeSupport

/// Shows the frames of an animation when they are due.
///
/// ``frames`` is the playback: each frame comes when it is to be shown, the next is decoded meanwhile. No
/// frame is skipped; where decoding or the caller takes longer than a frame lasts, the rest moves back. Every
/// member may be called from any thread and takes effect at once, also between two frames.
///
/// ```swift
/// for try await frame in AnimationPlayer(animation).frames { draw(frame.image) }
/// ```
public final class AnimationPlayer: Sendable {
    /// A frame that is to be shown now.
    public struct Frame: Sendable {
        /// The whole canvas.
        public let image: Image
        /// Its index in the animation.
        public let index: Int
        /// Loops that were shown whole before it.
        public let completedLoopCount: Int
    }

    /// What is played; with a frame buffer of the player's own another object than what it was made of.
    public let animation: Animation

    private let state: Guarded<PlaybackState>
    private let timer: PlaybackTimer
    private let onLoop: (@Sendable (Int) -> Void)?

    /// Creates a player that stands before its first frame.
    ///
    /// - Parameters:
    ///   - animation: What is played.
    ///   - mode: The order of the frames.
    ///   - rate: How fast: 2 is twice as fast as the file says; 0 or less stands still.
    ///   - loopCount: How often; as often as the file says by default.
    ///   - frameBufferByteCountMax: The most bytes of decoded frames that it keeps for itself; `nil`, the
    ///     default, for the budget that all players share (``FrameBudget/shared``). With 0 each frame is
    ///     decoded anew.
    ///   - clock: What measures the time.
    ///   - onLoop: Hears how many loops have been shown whole, after each of them.
    public init(
        _ animation: Animation,
        mode: PlaybackMode = .normal,
        rate: Double = 1,
        loopCount: LoopCount? = nil,
        frameBufferByteCountMax: Int? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        onLoop: (@Sendable (_ completedLoopCount: Int) -> Void)? = nil
    ) {
        self.animation =
            frameBufferByteCountMax.map { animation.buffered(in: FrameBudget(byteCountMax: $0)) } ?? animation
        self.onLoop = onLoop
        timer = PlaybackTimer(clock)
        let order = PlaybackOrder(
            frameCount: animation.frameCount,
            mode: mode,
            loopCount: loopCount ?? animation.loopCount
        )
        state = Guarded(PlaybackState(order: order, rate: rate))
    }

    /// How fast: 2 is twice as fast as the file says; 0 or less stands still.
    public var rate: Double {
        get { state.withLock { $0.rate } }
        set { change { $0.rate = newValue } }
    }

    /// The order of the frames.
    public var mode: PlaybackMode {
        get { state.withLock { $0.order.mode } }
        set { change { $0.order.mode = newValue } }
    }

    /// Whether the playback waits at its frame; false unless set.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { change { $0.isPaused = newValue } }
    }

    /// The frame that was shown last, or that is to be shown first.
    public var currentIndex: Int { state.withLock { $0.order.index } }

    /// Loops that have been shown whole.
    public var completedLoopCount: Int { state.withLock { $0.order.completedLoopCount } }

    /// Shows a frame now and goes on from there; also where the playback is paused.
    ///
    /// - Parameters:
    ///   - index: The frame; the last where there are fewer, the first below 0.
    ///   - completedLoopCount: How many loops count as shown; 0 by default.
    public func seek(to index: Int, completedLoopCount: Int = 0) {
        change { state in
            state.order.seek(to: index, completedLoopCount: completedLoopCount)
            state.shownAt = nil
            state.isOver = false
        }
    }

    /// The playback from the current frame on, or from the first where the last loop is over; ends after the
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
    /// The frames of a playback, each when it is to be shown.
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

            /// The next frame, at the time when it is due; `nil` after the last loop.
            ///
            /// - Throws: The codec's error where a frame does not decode, or `CancellationError`.
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

    /// Decodes what comes next, waits until it is due, and begins anew where somebody changed something
    /// meanwhile.
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

    /// Waits until the frame that is shown has been shown long enough; false where something changed before
    /// that.
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

    /// Takes the step where nothing changed since it was planned.
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

/// Where a playback stands, and what it was asked to do.
private struct PlaybackState: Sendable {
    var order: PlaybackOrder
    var rate: Double
    var isPaused = false
    /// When the current frame was shown; `nil` where it is still to be.
    var shownAt: Duration?
    /// Whether the last loop has been shown.
    var isOver = false
    /// Grows with each thing that is asked, so that a step that was planned before is planned again.
    var changeCount = 0
    /// Finished to end a wait early.
    var waiter: AsyncStream<Never>.Continuation?
}

/// A clock of any kind, counted from when the player was made.
private struct PlaybackTimer: Sendable {
    let now: @Sendable () -> Duration
    private let sleep: @Sendable (_ until: Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// Waits for a time, for ever where it is `nil`; false where the stream ends before that.
    func wait(until time: Duration?, unless stream: AsyncStream<Never>) async throws -> Bool {
        if let time, time <= now() { return true }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream {}
                // A stream ends early too where its task is cancelled.
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
