import CalotypeCore
import CalotypeTransforms

/// URLs of the image optimizer of Next.js: `/_next/image?url=/photo.jpg&w=640&q=75`.
///
/// They are not signed: the widths and the sources are the limits of what clients may request.
///
/// - SeeAlso: `packages/next/src/server/image-optimizer.ts` of Next.js 16.
public struct NextImageGrammar: Hashable, Sendable {
    /// The allowed widths: `deviceSizes` and `imageSizes` of Next.js.
    ///
    /// Other widths are refused, as there.
    public var widths: AllowedWidths

    /// The allowed qualities; `nil`, the default, allows 1...100.
    public var qualities: Set<Int>?

    /// The origin of sources without a host; `nil`, the default, refuses them.
    public var site: SiteOrigin?

    /// Limits on URLs.
    package var limits = GrammarLimits()

    /// Creates a grammar; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - widths: The allowed widths.
    ///   - site: The origin of sources without a host.
    public init(widths: AllowedWidths, site: SiteOrigin? = nil) {
        (self.widths, self.site) = (widths, site)
    }

    /// The path of the grammar.
    package static let path = "/_next/image"

    /// The maximum bytes of `url`, as in Next.js.
    private static let maxURLByteCount = 3_072

    /// The difference between the qualities of AVIF and of other formats, as in Next.js.
    private static let qualityOffsetOfAVIF = 20

    /// Whether a target is one of this grammar: its path, with a final `/` or without.
    static func isTarget(_ target: String) -> Bool {
        guard target.hasPrefix(path) else { return false }
        let rest = target.utf8.dropFirst(path.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "?") || rest.elementsEqual("/".utf8)
            || rest.starts(with: "/?".utf8)
    }

    /// Parses a URL.
    ///
    /// - Parameter target: The target of the request line, as received.
    /// - Returns: The rendering.
    /// - Throws: ``RequestError`` that names the parameter.
    package func rendering(of target: String) throws(RequestError) -> Rendering {
        guard target.utf8.count <= limits.maxPathByteCount else {
            throw RequestError(
                .pathTooLong,
                detail: "the path has \(target.utf8.count) bytes; use at most \(limits.maxPathByteCount)"
            )
        }
        let parameters = try parameters(of: target)
        let width = try number("w", parameters, 1...limits.maxSide)
        guard widths.contains(width) else {
            let list = widths.widths.map(String.init).joined(separator: ", ")
            throw Self.error("w", "the width \(width) is not one of \(list)")
        }
        let quality = try number("q", parameters, 1...100)
        guard qualities?.contains(quality) ?? true else {
            throw Self.error("q", "the quality \(quality) is not allowed")
        }
        var settings = ImgproxySettings()
        settings.layout.width = width
        for format in [ImageFormat.jpeg, .webP, .jpegXL, .heic] {
            settings.quality.byFormat[format] = quality
        }
        settings.quality.byFormat[.avif] = max(1, quality - Self.qualityOffsetOfAVIF)
        var rendering = settings.rendering(of: try source(parameters))
        rendering.delivery.followsOrigin = true
        return rendering
    }

    private struct Parameter {
        let name: String
        let value: String
    }

    /// Returns the three parameters, decoded; others have no effect, as in Next.js.
    private func parameters(of target: String) throws(RequestError) -> [Parameter] {
        let parts = target.parts(between: UInt8(ascii: "?"), atMost: 2)
        let pairs = parts.count == 2 ? parts[1].parts(between: UInt8(ascii: "&")) : []
        guard pairs.count <= limits.maxOptionCount else {
            throw RequestError(.pathTooLong, detail: "\(pairs.count) parameters")
        }
        var found: [Parameter] = []
        for pair in pairs {
            let name = pair.prefix(before: UInt8(ascii: "="))
            guard ["url", "w", "q"].contains(name) else { continue }
            let bytes = pair.dropping(name).bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            guard let value = URLText.percentDecoded(String(decoding: bytes, as: UTF8.self)) else {
                throw Self.error(String(name), "invalid percent-encoding")
            }
            guard !found.contains(where: { $0.name == name }) else {
                throw Self.error(String(name), "the parameter is repeated")
            }
            found.append(Parameter(name: String(name), value: value))
        }
        return found
    }

    private static func error(_ name: String, _ detail: String) -> RequestError {
        RequestError(.invalidOption, option: name, detail: "\(name.quoted): \(detail)")
    }

    private func value(_ name: String, _ parameters: [Parameter]) throws(RequestError) -> String {
        guard let value = parameters.first(where: { $0.name == name })?.value, !value.isEmpty else {
            throw Self.error(name, "the parameter is required")
        }
        return value
    }

    private func number(
        _ name: String,
        _ parameters: [Parameter],
        _ range: ClosedRange<Int>
    ) throws(RequestError) -> Int {
        let text = try value(name, parameters)
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number)
        else {
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            throw Self.error(name, "\(text.quoted) is not an integer from \(limits)")
        }
        return number
    }

    private func source(_ parameters: [Parameter]) throws(RequestError) -> SourceURL {
        let text = try value("url", parameters)
        guard text.utf8.count <= Self.maxURLByteCount else {
            throw RequestError(.pathTooLong, option: "url", detail: "the URL has \(text.utf8.count) bytes")
        }
        return try SiteOrigin.source(text, on: site)
    }
}
