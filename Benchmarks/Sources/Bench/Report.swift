import Foundation

/// A row with what came out, as it is written to a file.
struct RowResult: Encodable {
    let name: String
    let ours: Double
    let baseline: Double
    let ratio: Double
    let target: String
    let met: Bool
    let unit: String
    let rounds: Int
    let spread: Double

    init(_ row: Row, _ outcome: Outcome) {
        name = row.name
        ours = row.unit.value(of: outcome.ours)
        baseline = row.unit.value(of: outcome.baseline)
        ratio = outcome.ratio
        target = row.target.text
        met = row.target.isMet(by: outcome)
        unit = row.unit.rawValue
        rounds = outcome.roundCount
        spread = outcome.spread
    }
}

/// All rows that were run.
struct Report: Encodable {
    var rows: [RowResult] = []

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}

extension RowResult {
    static let heading = line("ROW", "OURS", "BASELINE", "RATIO", "SPREAD", "TARGET", "MET")

    var text: String {
        Self.line(
            name,
            "\(ours.formatted(digits: 1)) \(unit)",
            "\(baseline.formatted(digits: 1)) \(unit)",
            ratio.formatted(digits: 3),
            "\((spread * 100).formatted(digits: 0)) %",
            target,
            met ? "yes" : "NO"
        )
    }

    private static func line(_ name: String, _ columns: String...) -> String {
        let first = name + String(repeating: " ", count: max(0, 26 - name.count))
        return columns.reduce(first) { line, text in
            line + String(repeating: " ", count: max(1, 13 - text.count)) + text
        }
    }
}

extension Double {
    /// The number with so many digits behind the point.
    func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
