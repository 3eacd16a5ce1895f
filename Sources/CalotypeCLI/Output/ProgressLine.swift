struct ProgressLine: Hashable, Sendable {
    var totalCount: Int
    /// The number of finished items, whether they succeeded or failed.
    var doneCount = 0
    var receivedByteCount = 0
    /// The progress of running items, as a number of items.
    var runningShare = 0.0
    /// Bytes per second; `nil` if unknown.
    var byteRate: Double?
    /// The time since the start.
    var elapsed = Duration.zero

    /// The finished fraction, 0...1; running items count by their bytes.
    var fraction: Double {
        guard totalCount > 0 else { return 1 }
        return min(1, (Double(doneCount) + runningShare) / Double(totalCount))
    }

    /// The estimated remaining time; `nil` while it would be a guess.
    var timeLeft: Duration? {
        guard elapsed >= .seconds(1), fraction >= 0.02, fraction < 1 else { return nil }
        return elapsed * ((1 - fraction) / fraction)
    }

    /// Returns the line, at most `width` columns long, so that the terminal does not wrap it.
    func text(width: Int) -> String {
        let counts = " \(doneCount)/\(totalCount)"
        let bytes = receivedByteCount == 0 ? "" : "  \(Record.Value.readable(byteCount: receivedByteCount))"
        let rate = byteRate.map { "  " + Record.Value.readable(byteRate: $0) } ?? ""
        let left = timeLeft.map { "  \(Self.readable($0)) left" } ?? ""
        for words in [counts + bytes + rate + left, counts + bytes + rate, counts + bytes] {
            let barWidth = min(40, width - words.count - 3)
            if barWidth >= 5 { return bar(width: barWidth) + words }
        }
        return String(counts.dropFirst().prefix(max(0, width - 1)))
    }

    /// Returns minutes and seconds, `2:05`, or with hours, `1:02:05`.
    private static func readable(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds) + 1
        let parts = seconds < 3600 ? [seconds / 60] : [seconds / 3600, seconds / 60 % 60]
        let texts = (parts + [seconds % 60]).enumerated().map { index, part in
            index > 0 && part < 10 ? "0\(part)" : "\(part)"
        }
        return texts.joined(separator: ":")
    }

    private func bar(width: Int) -> String {
        let filled = Int((fraction * Double(width)).rounded(.down))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }
}
