public import CalotypeCore

/// What a client takes, as its `Accept` says (RFC 9110 §12.5.1).
///
/// Of a field that is long the first 4,096 bytes and 64 types are read.
public struct AcceptedTypes: Hashable, Sendable {
    /// The types that are named, with 0...1,000 for how gladly they are taken; the first of a name counts.
    private var weights: [String: Int] = [:]

    /// Reads the values of the fields; `nil`, and a field that is empty, takes everything.
    public init(_ field: String?) {
        let bytes = (field ?? "").utf8.prefix(4_096)
        let ranges = String(decoding: bytes, as: UTF8.self).split(separator: ",").prefix(64)
        for range in ranges {
            let parts = range.split(separator: ";", omittingEmptySubsequences: false)
            let name = Self.trimmed(parts[0]).lowercased()
            guard name.contains("/"), weights[name] == nil else { continue }
            weights[name] = Self.weight(parts.dropFirst())
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    /// The `q` among parameters, in thousandths; 1,000 where there is none, and 0 where it is wrong.
    private static func weight(_ parameters: ArraySlice<Substring>) -> Int {
        let values = parameters.map { trimmed($0) }.filter { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
        guard let text = values.first?.dropFirst(2) else { return 1_000 }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, parts[0] == "0" || parts[0] == "1", digits.utf8.count <= 3,
            digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return 0 }
        let thousandths = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)) ?? 0
        return min(1_000, (parts[0] == "1" ? 1_000 : 0) + thousandths)
    }

    /// Whether a type is named, and taken.
    public func names(_ mediaType: String) -> Bool { weights[mediaType, default: 0] > 0 }

    /// The format to answer in, of those that a service makes for clients that name them.
    ///
    /// A client that takes everything says nothing of new formats, so only a name counts; and where it takes
    /// something else more gladly, it gets that.
    ///
    /// - Parameter offers: The formats, the best first.
    /// - Returns: The one that is taken most gladly, the first of several; `nil` for the original's.
    public func best(of offers: [ImageFormat]) -> ImageFormat? {
        guard !weights.isEmpty else { return nil }
        let names = Set(offers.map(\.mediaType))
        let others = weights.filter { name, _ in
            !names.contains(name) && (name.hasPrefix("image/") || name == "*/*")
        }
        let otherwise = others.values.max() ?? 0
        let ranked = offers.map { (format: $0, weight: weights[$0.mediaType, default: 0]) }
        guard let most = ranked.map(\.weight).max(), most > 0, most >= otherwise else { return nil }
        return ranked.first { $0.weight == most }?.format
    }
}
