import CalotypeSupport
import HTTPTypes

/// Who may ask the admin listener.
///
/// Where it has a token, whoever has that. Where it has none, it is reached from its own machine alone; a web
/// page that is open there must not reach it, neither by a request of its own nor by a name that leads there.
public struct AdminAccess: Sendable {
    private let token: [UInt8]?

    /// Creates a rule.
    ///
    /// - Parameter token: What `Authorization: Bearer …` must have; `nil` or an empty text for nothing.
    public init(token: String?) {
        self.token = token.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }

    /// Why a request is refused.
    enum Refusal: Hashable, Sendable {
        /// It names no token, or another.
        case token
        /// It was sent to a name that is not this machine's.
        case host
        /// A page of another origin has sent it.
        case origin
        /// It changes something, and is not what only this service's own page or a program sends.
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
            case .token: "The admin token is needed: Authorization: Bearer …"
            case .host: "Without a token this listener answers on the names of its own machine alone"
            case .origin: "This was sent by a page of another origin"
            case .mediaType: "Content-Type is application/json"
            }
        }
    }

    /// Why a request is refused; `nil` where it is not.
    ///
    /// - Parameters:
    ///   - request: Its line and fields.
    ///   - isOpen: Whether it asks for what everybody may see: no token is needed then.
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
