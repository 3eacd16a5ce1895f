extension Duration {
    /// The longest time that a frame is shown: 2³² − 1 seconds, which is what most formats can state.
    package static let frameMax = Duration.seconds(Int(UInt32.max))

    /// The longest time that an animation takes: its milliseconds are still an integer.
    package static let animationMax = Duration.seconds(1 << 50)

    /// The sum of the durations of frames, at most ``animationMax``; never overflows.
    package static func animation(_ frames: some Sequence<Duration>) -> Duration {
        frames.reduce(.zero) { sum, frame in frame < animationMax - sum ? sum + frame : animationMax }
    }
}
