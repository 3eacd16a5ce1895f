import Calotype

/// What a run of loads has come to, for a person.
struct LoadSummary: Hashable, Sendable {
    private var countBySource: [LoadedImage.Source: Int] = [:]
    private var loadCount = 0
    private var failureCount = 0

    /// Counts a load.
    mutating func add(_ report: LoadReport) {
        loadCount += 1
        if let source = report.source { countBySource[source, default: 0] += 1 }
        if report.error != nil { failureCount += 1 }
    }

    /// The line: `8 loads: 3 memory, 2 disk, 3 network; 3.2 MB in 1.4 s, 2.3 MB/s`.
    ///
    /// - Parameters:
    ///   - receivedByteCount: The bytes that were loaded, those from caches left out.
    ///   - elapsed: How long it took.
    /// - Returns: The line.
    func text(receivedByteCount: Int, elapsed: Duration) -> String {
        var parts = LoadedImage.Source.allCases.compactMap { source in
            countBySource[source].map { "\($0) \(source.rawValue)" }
        }
        if failureCount > 0 { parts.append("\(failureCount) failed") }
        let time = Record.Value.milliseconds(elapsed.milliseconds).text
        var text = "\(loadCount) \(loadCount == 1 ? "load" : "loads"): \(parts.joined(separator: ", ")); "
        guard receivedByteCount > 0, elapsed > .zero else { return text + time }
        let rate = Record.Value.readable(byteRate: Double(receivedByteCount) / (elapsed / .seconds(1)))
        text += "\(Record.Value.readable(byteCount: receivedByteCount)) in \(time), \(rate)"
        return text
    }
}
