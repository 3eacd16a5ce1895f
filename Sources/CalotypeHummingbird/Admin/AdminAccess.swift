import CalotypeSupport
import HTTPTypes

/// The access rule of the admin listener.
///
/// With a token, a request needs the token. Without one, the listener accepts only requests to names of its
/// own machine; a web page in a browser there must not reach it, neither by a request of its own nor by a
/// name that resolves to the machine.
package struct AdminAccess: Sendable {
    private let token: [UInt8]?

    /// Creates a rule.
    ///
    /// - Parameter token: The token for `Authorization: Bearer …`; `nil` or an empty text for none.
    package init(token: String?) {
        self.token = token.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }

    /// The reason why a request is refused.
    enum Refusal: Hashable, Sendable {
        /// The token is missing or wrong.
        case token
        /// The request was sent to a name that is not this machine's.
        case host
        /// A page of another origin sent the request.
        case origin
        /// The content type of a `POST` is not `application/json`, which pages of other origins cannot send.
        case mediaType

        var status: HTTPResponse.Status {
            switch self {
            case .token: .unauthorized
            case .host: .misdirectedRequest
            case .origin: .forbidden
            case .mediaType: .unsupportedMediaType
            }
        }

        var text: String {
            switch self {
            case .token: "The admin token is required; send Authorization: Bearer …"
            case .host: "Without a token, only localhost and loopback addresses are allowed as Host"
            case .origin: "Requests from pages of other origins are not allowed"
            case .mediaType: "Content-Type must be application/json"
            }
        }
    }

    /// Returns the reason why a request is refused, or `nil` if it is allowed.
    ///
    /// - Parameters:
    ///   - request: The request line and fields.
    ///   - isOpen: Whether the route is public and needs no token.
    /// - Returns: The reason.
    func refusal(of request: HTTPRequest, isOpen: Bool) -> Refusal? {
        if token == nil, !Self.isOfThisMachine(request.authority ?? "") { return .host }
        if let origin = Self.origin.flatMap({ request.headerFields[$0] }), !isOwn(origin, request) {
            return .origin
        }
        let site = Self.site.flatMap { request.headerFields[$0] }
        // A page of another origin may link to the console, and to nothing else.
        if let site, !["same-origin", "none"].contains(site), !isOpen { return .origin }
        if !isOpen, !hasToken(request) { return .token }
        guard request.method == .post else { return nil }
        let type = request.headerFields[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.filter { $0 != " " } == "application/json" ? nil : .mediaType
    }

    private static let origin = HTTPField.Name("Origin")
    private static let site = HTTPField.Name("Sec-Fetch-Site")

    private func hasToken(_ request: HTTPRequest) -> Bool {
        guard let token else { return true }
        let words = (request.headerFields[.authorization] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        return MessageAuthentication.areEqual(token, Array(words[1].utf8))
    }

    private func isOwn(_ origin: String, _ request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        return ["http", "https"].contains { origin.lowercased() == "\($0)://\(authority.lowercased())" }
    }

    /// Whether `Host` is an address of the loopback interface, or `localhost`, with any port.
    static func isOfThisMachine(_ authority: String) -> Bool {
        var host = authority[...]
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            return host[...end] == "[::1]" && isPort(host[host.index(after: end)...])
        }
        host = authority.prefix { $0 != ":" }
        guard isPort(authority.dropFirst(host.count)) else { return false }
        return host.lowercased() == "localhost" || isLoopback(host)
    }

    private static func isPort(_ rest: Substring) -> Bool {
        rest.isEmpty || (rest.first == ":" && rest.dropFirst().allSatisfy { $0.isASCII && $0.isNumber })
    }

    /// Whether a text is an IPv4 address of 127.0.0.0/8 in its usual form.
    private static func isLoopback(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { (1...3).contains($0.count) && UInt8($0) != nil }
    }
}
