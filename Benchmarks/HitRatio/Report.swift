import Foundation
import TestMaterial

/// Prints rows: a table for people, or one JSON object a line.
struct Report {
    /// The result of one cache for one trace.
    struct Row {
        let cache: String
        let policy: String
        let isDefault: Bool
        let ratios: HitRatios
    }

    private let isJSON: Bool
    private var hasHeader = false

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    mutating func print(_ row: Row, trace: String, fraction: Double, capacity: Int) {
        isJSON
            ? printJSON(row, trace: trace, fraction: fraction, capacity: capacity)
            : printLine(row, trace: trace, fraction: fraction, capacity: capacity)
    }

    private func printJSON(_ row: Row, trace: String, fraction: Double, capacity: Int) {
        Swift.print(
            """
            {"trace":"\(trace)","fraction":\(fraction),"capacity":\(capacity),"cache":"\(row.cache)",\
            "policy":"\(row.policy)","isDefault":\(row.isDefault),"objectHitRatio":\(row.ratios.object),\
            "byteHitRatio":\(row.ratios.byte)}
            """
        )
    }

    private mutating func printLine(_ row: Row, trace: String, fraction: Double, capacity: Int) {
        let cells = [
            trace.padding(toLength: 26, withPad: " ", startingAt: 0),
            String(format: "%8.4f", fraction),
            String(format: "%14d", capacity),
            "  " + row.cache.padding(toLength: 7, withPad: " ", startingAt: 0),
            (row.policy + (row.isDefault ? " *" : "")).padding(toLength: 9, withPad: " ", startingAt: 0),
            String(format: "%8.4f", row.ratios.object),
            String(format: "%8.4f", row.ratios.byte),
        ]
        if !hasHeader {
            Swift.print(
                "trace                      fraction       capacity  cache   policy     objects    bytes"
            )
            hasHeader = true
        }
        Swift.print(cells.joined(separator: " "))
    }
}
