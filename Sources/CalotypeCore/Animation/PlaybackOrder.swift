/// The order in which an animation's frames are shown.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
    /// From the first frame to the last, then again.
    case normal
    /// From the last frame to the first, then again.
    case reverse
    /// From the first to the last and back; the frames at the ends are shown once a turn.
    case bounce
    /// From the last to the first and back.
    case reverseBounce
}

/// Which frame comes after which, and how many loops that makes.
///
/// A loop of a bouncing animation is the way there and back.
struct PlaybackOrder: Hashable {
    let frameCount: Int
    let loopCount: LoopCount

    /// A change takes effect with the next step, from the frame that is shown.
    var mode: PlaybackMode {
        didSet { if mode != oldValue { isReturning = false } }
    }

    /// The frame that is shown.
    private(set) var index: Int

    /// Loops that have been shown whole.
    private(set) var completedLoopCount = 0

    /// Whether a bouncing animation is on its way back.
    private var isReturning = false

    init(frameCount: Int, mode: PlaybackMode, loopCount: LoopCount) {
        precondition(frameCount >= 1, "an animation has at least one frame")
        self.frameCount = frameCount
        self.mode = mode
        self.loopCount = loopCount
        index = mode.startsAtEnd ? frameCount - 1 : 0
    }

    /// Goes back to the beginning of the first loop.
    mutating func restart() {
        self = PlaybackOrder(frameCount: frameCount, mode: mode, loopCount: loopCount)
    }

    /// Moves to the next frame; false, and nothing is changed but the loops, where the last loop is over.
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

    /// Goes to a frame, or the nearest that there is, on the way there where the animation bounces.
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
