package import CalotypeCore

/// The media types that a client accepts, by its `Accept` field (RFC 9110 §12.5.1).
///
/// Only the first 4,096 bytes and 64 types of a long field are read.
package struct AcceptHeader: Hashable, Sendable {
    /// The named types with their weights, 0...1,000; of repeated names the first one applies.
    private var weights: [String: Int] = [:]

    /// Parses the field; `nil` and an empty field accept everything.
    package init(_ field: String?) {
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

    /// Returns the `q` parameter in thousandths: 1,000 if it is missing, and 0 if it is invalid.
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

    /// The formats that all clients show; only their alternatives are refused.
    private static let universalFormats: Set<ImageFormat> = [.jpeg, .png, .gif]

    /// Returns the formats in which an original must not be returned.
    ///
    /// Those are the formats that the field excludes, and those to which it gives a lower weight than to
    /// JPEG or PNG; unlike for offers, a wildcard counts, because the alternative is to convert the original
    /// (RFC 9110 §12.5.1).
    package func refused(of formats: Set<ImageFormat>) -> Set<ImageFormat> {
        guard !weights.isEmpty else { return [] }
        let other = max(weight(of: ImageFormat.jpeg.mediaType), weight(of: ImageFormat.png.mediaType))
        // A client without any image type, such as one of JSON, gets the image as it is.
        let acceptsSome = other > 0 || weight(of: ImageFormat.gif.mediaType) > 0
        return formats.subtracting(Self.universalFormats).filter { format in
            let own = weight(of: format.mediaType)
            return own < other || own == 0 && (acceptsSome || weights[format.mediaType] == 0)
        }
    }

    /// Returns the weight of the most specific range that matches an image type; 0 without one.
    private func weight(of mediaType: String) -> Int {
        weights[mediaType] ?? weights["image/*"] ?? weights["*/*"] ?? 0
    }

    package func explicitlyAccepts(_ mediaType: String) -> Bool { weights[mediaType, default: 0] > 0 }

    /// Returns the format of the response, from those that a service offers.
    ///
    /// A wildcard says nothing about new formats, so only a named type counts; a client that prefers another
    /// type gets that.
    ///
    /// - Parameter offers: The formats, best first.
    /// - Returns: The most preferred format, the first of equal ones; `nil` for the original's.
    package func best(of offers: [ImageFormat]) -> ImageFormat? {
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
