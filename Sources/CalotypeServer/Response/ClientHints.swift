/// The client hints of a request: the density of the display, and the width of the image in the page.
///
/// - SeeAlso: `IMGPROXY_ENABLE_CLIENT_HINTS` of imgproxy.
public struct ClientHints: Hashable, Sendable {
    /// The pixels of the display per CSS pixel, above 0 and at most 8; `nil` if unknown.
    public let density: Double?
    /// The width of the image in CSS pixels; `nil` if unknown.
    public let width: Int?

    private init(density: Double?, width: Int?) {
        (self.density, self.width) = (density, width)
    }

    /// No hints.
    public static let none = ClientHints(density: nil, width: nil)

    /// The names of the fields.
    package static let fieldNames = ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width"]

    private static let maxDensity = 8.0
    private static let maxWidth = 100_000
    /// Densities and widths are rounded up to multiples of these: each other value would be another result.
    private static let densityStep = 0.25
    private static let widthStep = 100

    /// Parses the fields; invalid values are ignored.
    ///
    /// - Parameters:
    ///   - density: `Sec-CH-DPR`, else `DPR`.
    ///   - width: `Sec-CH-Width`, else `Width`: the width in pixels of the display.
    ///   - widths: The widths that the width is rounded up to; multiples of 100 if `nil`.
    public init(density: String?, width: String?, roundedTo widths: AllowedWidths? = nil) {
        let given = density.flatMap(Self.number)
        self.density = given.flatMap { value in
            guard value > 0, value <= Self.maxDensity else { return nil }
            return (value / Self.densityStep).rounded(.up) * Self.densityStep
        }
        let pixels = width.flatMap(Self.number).flatMap { value -> Int? in
            guard value >= 1, value <= Double(Self.maxWidth) else { return nil }
            let pixels = Int(value.rounded(.up))
            let step = Self.widthStep
            return widths?.rounded(pixels) ?? (pixels + step - 1) / step * step
        }
        self.width = pixels.map { [scale = self.density ?? 1] in
            max(1, Int((Double($0) / scale).rounded()))
        }
    }

    private static func number(_ text: String) -> Double? {
        let isDecimal = text.utf8.count <= 16 && text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        return isDecimal ? Double(text) : nil
    }

    /// A text that differs for different hints; empty for none.
    var text: String {
        guard self != .none else { return "" }
        return "\(density.map { "\($0)" } ?? ""):\(width.map { "\($0)" } ?? "")"
    }
}
