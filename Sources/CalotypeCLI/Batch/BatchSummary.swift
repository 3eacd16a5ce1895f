/// The counts of a batch, as a line for people.
struct BatchSummary: Hashable, Sendable {
    private let one: String
    private let many: String
    private let labels: [String]
    private var counts: [String: Int] = [:]
    private var totalCount = 0

    /// A summary without images.
    ///
    /// - Parameters:
    ///   - one: The noun for one image of the batch, such as `load`.
    ///   - many: The plural of the noun.
    ///   - labels: The labels of images, in the order of the line.
    init(_ one: String, _ many: String, labels: [String]) {
        (self.one, self.many) = (one, many)
        self.labels = labels + ["skipped", "failed"]
    }

    /// Counts an image under each of its labels.
    mutating func add(_ labels: [String]) {
        totalCount += 1
        for label in labels { counts[label, default: 0] += 1 }
    }

    /// Returns the line: `8 loads: 3 memory, 2 disk, 3 network; 3.2 MB in 1.4 s, 2.3 MB/s`.
    ///
    /// - Parameters:
    ///   - readByteCount: The number of bytes read, without those from caches.
    ///   - elapsed: The duration.
    /// - Returns: The line.
    func text(readByteCount: Int, elapsed: Duration) -> String {
        let parts = labels.compactMap { label in counts[label].map { "\($0) \(label)" } }
        let time = Record.Value.milliseconds(elapsed.milliseconds).text
        let head = "\(totalCount) \(totalCount == 1 ? one : many)"
        var text = parts.isEmpty ? "\(head); " : "\(head): \(parts.joined(separator: ", ")); "
        guard readByteCount > 0, elapsed > .zero else { return text + time }
        let rate = Record.Value.readable(byteRate: Double(readByteCount) / (elapsed / .seconds(1)))
        text += "\(Record.Value.readable(byteCount: readByteCount)) in \(time), \(rate)"
        return text
    }
}
