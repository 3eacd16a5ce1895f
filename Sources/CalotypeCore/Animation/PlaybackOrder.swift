/// The order in which an animation's frames are shown.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
    /// First to last, repeated.
    case normal
    /// Last to first, repeated.
    case reverse
    /// First to last and back; the frames at the ends are shown once a turn.
    case bounce
    /// Last to first and back.
    case reverseBounce
}

/// The sequence of frames, and the number of complete loops.
///
/// A loop of a bouncing animation is one way there and back.
struct PlaybackOrder: Hashable {
    let frameCount: Int
    let loopCount: LoopCount

    /// A change takes effect with the next step, from the shown frame.
    var mode: PlaybackMode {
        didSet { if mode != oldValue { isReturning = false } }
    }

    /// The shown frame.
    private(set) var index: Int

    private(set) var completedLoopCount = 0

    /// True on the way back of a bouncing animation.
    private var isReturning = false

    init(frameCount: Int, mode: PlaybackMode, loopCount: LoopCount) {
        precondition(frameCount >= 1, "an animation has at least one frame")
        self.frameCount = frameCount
        self.mode = mode
        self.loopCount = loopCount
        index = mode.startsAtEnd ? frameCount - 1 : 0
    }

    /// Returns to the start of the first loop.
    mutating func restart() {
        self = PlaybackOrder(frameCount: frameCount, mode: mode, loopCount: loopCount)
    }

    /// Moves to the next frame; returns false, with only the loop count updated, at the end of the last loop.
    mutating func advance() -> Bool {
        if isAtEndOfLoop {
            completedLoopCount += 1
            if case .times(let count) = loopCount, completedLoopCount >= count { return false }
            isReturning = false
            if !mode.bounces { index = mode.startsAtEnd ? frameCount - 1 : 0 }
            if !mode.bounces || frameCount == 1 { return true }
        } else if mode.bounces, index == (mode.startsAtEnd ? 0 : frameCount - 1) {
            isReturning = true
        }
        index += mode.startsAtEnd == isReturning ? 1 : -1
        return true
    }

    /// Moves to a frame, clamped to the existing ones; a bouncing animation is then on its way forward.
    mutating func seek(to index: Int, completedLoopCount: Int) {
        self.index = min(max(0, index), frameCount - 1)
        self.completedLoopCount = completedLoopCount
        isReturning = false
    }

    private var isAtEndOfLoop: Bool {
        guard frameCount > 1 else { return true }
        let first = mode.startsAtEnd ? frameCount - 1 : 0
        return mode.bounces ? isReturning && index == first : index == frameCount - 1 - first
    }
}

extension PlaybackMode {
    fileprivate var startsAtEnd: Bool { self == .reverse || self == .reverseBounce }
    fileprivate var bounces: Bool { self == .bounce || self == .reverseBounce }
}
