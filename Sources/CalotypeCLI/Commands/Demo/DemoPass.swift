import Calotype

/// The measurements of one pass of the demo.
struct DemoPass: Sendable {
    /// The source that every image must come from in this pass.
    let expectedSource: LoadedImage.Source
    private(set) var hitCount = 0
    private(set) var byteCount = 0
    private(set) var durations: [Duration] = []

    init(expectedSource: LoadedImage.Source) {
        self.expectedSource = expectedSource
    }

    mutating func add(_ loaded: LoadedImage, elapsed: Duration) {
        durations.append(elapsed)
        byteCount += loaded.image.metadata.encodedByteCount ?? 0
        if loaded.source == expectedSource { hitCount += 1 }
    }

    /// The median duration.
    var median: Duration {
        let sorted = durations.sorted()
        guard let upper = sorted.dropFirst(sorted.count / 2).first else { return .zero }
        return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
    }

    static let table = Table(columns: [
        .init("SOURCE", "source", width: 7),
        .init("PICTURES", "pictures", width: 8, alignsRight: true),
        .init("HITS", "hits", width: 4, alignsRight: true),
        .init("MEDIAN", "medianMs", width: 10, alignsRight: true),
        .init("TOTAL", "totalMs", width: 10, alignsRight: true),
        .init("ENCODED", "bytes", width: 8, alignsRight: true),
    ])

    var record: Record {
        Record([
            ("source", .text(expectedSource.rawValue)),
            ("pictures", .count(durations.count)),
            ("hits", .count(hitCount)),
            ("medianMs", .milliseconds(median.milliseconds)),
            ("totalMs", .milliseconds(durations.reduce(.zero, +).milliseconds)),
            ("bytes", .bytes(byteCount)),
        ])
    }
}
