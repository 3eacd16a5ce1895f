import CalotypeCore
import CalotypeTransforms

/// URLs of Cloudflare's image transformations: `/cdn-cgi/image/width=80,quality=75/uploads/a.jpg`.
///
/// They are not signed: the widths and the sources are the limits of what clients may request.
///
/// - SeeAlso: <https://developers.cloudflare.com/images/transform-images/transform-via-url/>
public struct CloudflareGrammar: Hashable, Sendable {
    /// The allowed widths; others are rounded up to one of them.
    public var widths: AllowedWidths

    /// The origin of sources without a host, and the zone of `onerror=redirect`; `nil`, the default, for
    /// neither.
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

    /// The prefix of the grammar.
    package static let prefix = "/cdn-cgi/image/"

    static func isTarget(_ target: String) -> Bool { target.hasPrefix(prefix) }

    /// Parses a URL.
    ///
    /// - Parameter target: The target of the request line, as received. The source is not encoded: a query is
    ///   part of it.
    /// - Returns: The rendering.
    /// - Throws: ``RequestError`` that names the option.
    package func rendering(of target: String) throws(RequestError) -> Rendering {
        guard target.utf8.count <= limits.maxPathByteCount else {
            throw RequestError(
                .pathTooLong,
                detail: "the path has \(target.utf8.count) bytes; use at most \(limits.maxPathByteCount)"
            )
        }
        guard target.hasPrefix(Self.prefix), target.bytes.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw RequestError(.malformedPath, detail: "\(target.quoted) is not a path")
        }
        let rest = target.dropFirst(Self.prefix.count)
        let text = rest.prefix(before: UInt8(ascii: "/"))
        guard !text.isEmpty, text.endIndex < rest.endIndex else {
            throw RequestError(.malformedPath, detail: "\(target.quoted) has no options or no source")
        }
        var settings = CloudflareSettings()
        for option in try options(text) { try settings.apply(option) }
        settings.scaleTrim()
        let (source, place) = try source(rest[rest.utf8.index(after: text.endIndex)...])
        var rendering = settings.rendering(of: source, widths)
        rendering.delivery.followsOrigin = true
        if settings.redirectsOnError { rendering.delivery.errorRedirect = place }
        return rendering
    }

    /// Splits `name=value,name=value`.
    func options(_ text: Substring) throws(RequestError) -> [OptionArguments] {
        // Some frameworks encode the commas and the equals signs of a path.
        let isEncoded = !text.bytes.contains(UInt8(ascii: "="))
        guard let whole = isEncoded ? URLText.percentDecoded(text) : String(text) else {
            throw RequestError(.malformedPath, detail: "\(text.quoted) has invalid percent-encoding")
        }
        let parts = whole.parts(between: UInt8(ascii: ","), atMost: limits.maxOptionCount + 1)
        guard parts.count <= limits.maxOptionCount else {
            throw RequestError(.pathTooLong, detail: "more than \(limits.maxOptionCount) options")
        }
        var options: [OptionArguments] = []
        for part in parts {
            let name = part.prefix(before: UInt8(ascii: "="))
            guard name.endIndex < part.endIndex else {
                throw RequestError(
                    .invalidOption,
                    option: String(name),
                    detail: "\(part.quoted): write options as name=value, separated by commas"
                )
            }
            let given = part.dropping(name)
            guard let value = isEncoded ? String(given) : URLText.percentDecoded(given) else {
                let detail = "\(part.quoted) has invalid percent-encoding"
                throw RequestError(.invalidOption, option: String(name), detail: detail)
            }
            options.append(OptionArguments(name: String(name), values: [value[...]], limits: limits))
        }
        return options
    }

    /// Returns the source, and its address for clients if it is in the zone of the site.
    private func source(_ text: Substring) throws(RequestError) -> (SourceURL, String?) {
        guard let whole = Self.absolute(text) else {
            let path = text.utf8.first == UInt8(ascii: "/") ? String(text) : "/\(text)"
            // Clients reach the site under this service's own host, which is not that of the site.
            return (try SiteOrigin.source(path, on: site), SourceURL.pathAndQuery(path[...], isLocal: false))
        }
        let source = try SiteOrigin.source(whole, on: site)
        return (source, site?.covers(source) == true ? source.description : nil)
    }

    /// Returns a URL with a scheme, also one that is encoded as a whole, or that a proxy has taken a slash
    /// from; `nil` for a path.
    private static func absolute(_ text: Substring) -> String? {
        for scheme in ["http", "https"] {
            let start = text.prefix(scheme.utf8.count + 4).lowercased()
            if start.hasPrefix("\(scheme)%3a"), let decoded = URLText.percentDecoded(text) { return decoded }
            guard start.hasPrefix("\(scheme):/") else { continue }
            let rest = text.dropFirst(scheme.count + 2)
            return "\(scheme):/\(rest.hasPrefix("/") ? "" : "/")\(rest)"
        }
        return nil
    }
}
