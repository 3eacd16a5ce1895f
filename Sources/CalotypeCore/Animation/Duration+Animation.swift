extension Duration {
    /// The longest duration of a frame: 2³² − 1 seconds, the maximum that most formats can state.
    package static let maxFrame = Duration.seconds(Int(UInt32.max))

    /// The longest duration of an animation; its milliseconds still fit an integer.
    package static let maxAnimation = Duration.seconds(1 << 50)

    /// Returns the sum of frame durations, at most ``maxAnimation``; never overflows.
    package static func animation(_ frames: some Sequence<Duration>) -> Duration {
        frames.reduce(.zero) { sum, frame in frame < maxAnimation - sum ? sum + frame : maxAnimation }
    }
}
