import CalotypeCore
import Foundation

extension Record.Value {
    /// The value as shown in a table.
    var text: String {
        switch self {
        case .text(let text): SafeText.shortened(text, to: 300)
        case .count(let number): String(number)
        case .bytes(let number): Self.readable(byteCount: number)
        case .milliseconds(let number): String(format: number < 10 ? "%.3f ms" : "%.1f ms", number)
        case .flag(let flag): flag ? "yes" : "no"
        case .date(let date): date.description
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .list(let values): values.map(\.text).joined(separator: ", ")
        case .group(let members): members.compactMap { $0.value?.text }.joined(separator: ", ")
        }
    }

    /// Returns a number of bytes with a decimal unit, such as `1.2 MB`.
    static func readable(byteCount: Int) -> String {
        var value = Double(byteCount)
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB"] where abs(value) >= 999.5 {
            value /= 1000
            unit = larger
        }
        let decimals = unit == "B" || abs(value) >= 99.95 ? 0 : 1
        return String(format: "%.\(decimals)f \(unit)", value)
    }

    /// Returns a data rate, such as `1.2 MB/s`.
    static func readable(byteRate: Double) -> String {
        readable(byteCount: Int(min(byteRate, 1e15).rounded())) + "/s"
    }
}
