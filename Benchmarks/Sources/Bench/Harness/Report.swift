import Foundation

/// A row with what came out, as it is written to a file.
struct RowResult: Encodable {
    let name: String
    let title: String
    let ours: Double
    let baseline: Double?
    let ratio: Double?
    let target: String
    let met: Bool
    let unit: String
    let rounds: Int
    let spread: Double
    /// Microseconds that all threads computed for one, where that was timed.
    let processorTime: Double?
    let baselineProcessorTime: Double?

    init(_ row: Row, _ outcome: Outcome) {
        name = row.name
        title = row.title
        ours = outcome.ours
        baseline = outcome.baseline
        ratio = outcome.ratio
        target = row.target.text(row.unit)
        met = row.target.isMet(by: outcome)
        unit = row.unit.rawValue
        rounds = outcome.roundCount
        spread = outcome.spread
        processorTime = outcome.processorTime
        baselineProcessorTime = outcome.baselineProcessorTime
    }

    private enum CodingKeys: CodingKey {
        case name, title, ours, baseline, ratio, target, met, unit, rounds, spread, processorTime
        case baselineProcessorTime
    }

    /// Writes missing values as `null`, so that every row has every name.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(title, forKey: .title)
        try container.encode(ours, forKey: .ours)
        try container.encode(baseline, forKey: .baseline)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(target, forKey: .target)
        try container.encode(met, forKey: .met)
        try container.encode(unit, forKey: .unit)
        try container.encode(rounds, forKey: .rounds)
        try container.encode(spread, forKey: .spread)
        try container.encode(processorTime, forKey: .processorTime)
        try container.encode(baselineProcessorTime, forKey: .baselineProcessorTime)
    }
}

/// All rows that were run.
struct Report: Encodable {
    /// A row that could not be run here.
    struct SkippedRow: Encodable {
        let name: String
        let reason: String
    }

    var rows: [RowResult] = []
    var skipped: [SkippedRow] = []

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}

extension RowResult {
    static let heading = line("ROW", ["OURS", "BASELINE", "RATIO", "SPREAD", "PROCESSOR", "TARGET", "MET"])

    static let markdownHeading = """
        | row | ours | baseline | ratio | spread | processor time | target | met |
        |---|--:|--:|--:|--:|--:|--:|---|
        """

    var text: String { Self.line(name, cells) }

    /// The row as one of a table in a document, with what it compares.
    var markdown: String { "| `\(name)`: \(title) | " + cells.joined(separator: " | ") + " |" }

    private var cells: [String] {
        [
            "\(ours.plain) \(unit)",
            baseline.map { "\($0.plain) \(unit)" } ?? "–",
            ratio.map { String(format: "%.2f", $0) } ?? "–",
            rounds > 1 ? String(format: "%.0f %%", spread * 100) : "–",
            processor,
            target,
            target == "–" ? "–" : met ? "yes" : "no",
        ]
    }

    /// Ours and the baseline's, where both take microseconds at least.
    private var processor: String {
        guard let processorTime, processorTime >= 1 else { return "–" }
        return ([processorTime] + [baselineProcessorTime].compactMap(\.self)).map(\.plain)
            .joined(separator: "; ") + " µs"
    }

    private static func line(_ name: String, _ columns: [String]) -> String {
        let first = name + String(repeating: " ", count: max(0, 30 - name.count))
        return columns.reduce(first) { line, text in
            line + String(repeating: " ", count: max(1, 14 - text.count)) + text
        }
    }
}

extension Double {
    /// The number with three digits that count, or all before the point.
    var plain: String {
        let size = magnitude
        let digits = size >= 100 || self == rounded() ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
        return String(format: "%.\(digits)f", self)
    }

    /// The number with its sign.
    var signed: String { (self < 0 ? "−" : "+") + magnitude.plain }
}
