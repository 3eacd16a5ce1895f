/// The data rate over the last two seconds, a pure value.
struct TransferRate: Hashable, Sendable {
    private struct Sample: Hashable, Sendable {
        let byteCount: Int
        let time: ContinuousClock.Instant
    }

    private static let window = Duration.seconds(2)
    /// Samples closer to each other than this are merged, which limits their number.
    private static let interval = Duration.milliseconds(100)

    private var samples: [Sample]

    /// Starts measuring at zero bytes.
    init(at time: ContinuousClock.Instant) {
        samples = [Sample(byteCount: 0, time: time)]
    }

    /// Records the total number of bytes received.
    mutating func note(byteCount: Int, at time: ContinuousClock.Instant) {
        if samples.count > 1, time - samples[samples.count - 2].time < Self.interval { samples.removeLast() }
        samples.append(Sample(byteCount: byteCount, time: time))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second; `nil` before the first measurement.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let seconds = (last.time - first.time) / .seconds(1)
        guard seconds >= 0.05, last.byteCount > first.byteCount else { return nil }
        return Double(last.byteCount - first.byteCount) / seconds
    }
}
