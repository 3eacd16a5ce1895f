extension Duration {
    /// The longest duration of a frame: 2³² − 1 seconds, the maximum that most formats can state.
    package static let frameMax = Duration.seconds(Int(UInt32.max))

    /// The longest duration of an animation; its milliseconds still fit an integer.
    package static let animationMax = Duration.seconds(1 << 50)

    /// Returns the sum of frame durations, at most ``animationMax``; never overflows.
    package static func animation(_ frames: some Sequence<Duration>) -> Duration {
        frames.reduce(.zero) { sum, frame in frame < animationMax - sum ? sum + frame : animationMax }
    }
}
