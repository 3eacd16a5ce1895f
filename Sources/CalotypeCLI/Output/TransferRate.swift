/// How fast bytes have come in the last two seconds, as a pure value.
struct TransferRate: Hashable, Sendable {
    private struct Sample: Hashable, Sendable {
        let byteCount: Int
        let time: ContinuousClock.Instant
    }

    private static let window = Duration.seconds(2)
    /// Samples closer to each other than this become one, so that there are few.
    private static let interval = Duration.milliseconds(100)

    private var samples: [Sample]

    /// Begins to measure, with no bytes so far.
    init(at time: ContinuousClock.Instant) {
        samples = [Sample(byteCount: 0, time: time)]
    }

    /// Notes how many bytes have come in all.
    mutating func note(byteCount: Int, at time: ContinuousClock.Instant) {
        if samples.count > 1, time - samples[samples.count - 2].time < Self.interval { samples.removeLast() }
        samples.append(Sample(byteCount: byteCount, time: time))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes a second; `nil` before there is anything to go by.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let seconds = (last.time - first.time) / .seconds(1)
        guard seconds >= 0.05, last.byteCount > first.byteCount else { return nil }
        return Double(last.byteCount - first.byteCount) / seconds
    }
}
