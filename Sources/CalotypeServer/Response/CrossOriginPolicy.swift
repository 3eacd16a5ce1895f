package import CalotypeLoading

/// The pages of other origins that may read responses (CORS of the Fetch standard).
///
/// `<img>` needs none of this; canvases, WebGL and `fetch` do.
public struct CrossOriginPolicy: Hashable, Sendable {
    private static let anyOrigin = "*"
    private static let exposedFields =
        "Content-Disposition, ETag, Retry-After, Server-Timing, X-Cache, X-Fallback, X-Request-ID"
    private static let allowedFields =
        "Accept, Authorization, Content-Type, If-Modified-Since, If-None-Match, X-Request-ID"
    /// A day, in seconds; browsers shorten it.
    private static let maxAge = "86400"

    /// The origins as browsers send them; one `*` for all.
    private let origins: [String]

    /// Creates a policy from origins such as `https://shop.example`, or one `*` for all.
    ///
    /// - Throws: ``RequestError`` with `invalidOption` for another text, an empty list, and `*` in a longer
    ///   list.
    public init(_ texts: [String]) throws(RequestError) {
        guard !texts.isEmpty else { throw Self.error("an origin is missing") }
        guard !texts.contains(Self.anyOrigin) || texts.count == 1 else {
            throw Self.error("* allows every origin; remove the others")
        }
        var origins: [String] = []
        for text in texts { origins.append(try Self.normalized(text)) }
        self.origins = origins
    }

    private static func error(_ detail: String) -> RequestError {
        RequestError(.invalidOption, option: "Origin", detail: detail)
    }

    /// Returns an origin in lower case, without a final slash and the port of its scheme.
    private static func normalized(_ text: String) throws(RequestError) -> String {
        guard text != anyOrigin else { return text }
        var origin = text.lowercased()[...]
        if origin.hasSuffix("/"), !origin.hasSuffix("//") { origin.removeLast() }
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        let parts = origin.parts(betweenBytes: "://")
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            origin.utf8.allSatisfy({ (33...126).contains($0) }),
            !parts.contains(where: { $0.contains { "/?#@*,\"".contains($0) } })
        else { throw error("\(text.quoted) is not an origin; write it like https://shop.example, or *") }
        return String(origin)
    }

    /// Whether responses differ by `Origin`.
    package var varies: Bool { origins.count > 1 }

    /// Returns the fields of a response.
    ///
    /// One origin is sent whatever the request says, as in imgproxy; of several, that of the request.
    ///
    /// - Parameters:
    ///   - origin: The `Origin` of the request.
    ///   - methods: The allowed methods for a preflight request; `nil` for any other request.
    /// - Returns: The fields, without `Vary`; none for an origin that is not allowed.
    package func fields(for origin: String?, methods: String? = nil) -> [HeaderField] {
        let allowed = varies ? origins.first { $0 == origin?.lowercased() } : origins.first
        guard let allowed else { return [] }
        let fields = [HeaderField("Access-Control-Allow-Origin", allowed)]
        guard let methods else {
            return fields + [HeaderField("Access-Control-Expose-Headers", Self.exposedFields)]
        }
        return fields + [
            HeaderField("Access-Control-Allow-Methods", methods),
            HeaderField("Access-Control-Allow-Headers", Self.allowedFields),
            HeaderField("Access-Control-Max-Age", Self.maxAge),
        ]
    }
}
