import CalotypeCore
import Foundation

extension Record {
    /// The record as one JSON object on one line; exact values, `null` if unknown.
    var json: String {
        let members = fields.map { field in
            "\(Self.quoted(field.name)):\(field.value?.json ?? "null")"
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Returns a JSON string (RFC 8259 §7).
    fileprivate static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in PathBytes.shown(text).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}": result += String(format: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Record.Value {
    /// Infinity and NaN, which JSON lacks, become `null`.
    private static func json(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        return Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func json(_ members: [Record.Member]) -> String {
        let known = members.compactMap { member in
            member.value.map { "\(Record.quoted(member.name)):\($0.json)" }
        }
        return "{\(known.joined(separator: ","))}"
    }

    fileprivate var json: String {
        switch self {
        case .text(let text): Record.quoted(text)
        case .count(let number), .bytes(let number): String(number)
        case .milliseconds(let number): String(format: "%.3f", number)
        case .flag(let flag): String(flag)
        case .date(let date): Record.quoted(date.description)
        case .number(let number): Self.json(number)
        case .list(let values): "[\(values.map(\.json).joined(separator: ","))]"
        case .group(let members): Self.json(members)
        }
    }
}
