import CalotypeTransfer
import FoundationEssentials

/// A request of a load: the first, or one after a redirect.
struct HTTPHop {
    let address: HTTPAddress
    /// The fields to send: those of the load, then those of the origin, then defaults; each name from one of
    /// them.
    private(set) var fields: [HeaderField] = []
    /// The credentials of the origin, if there are any.
    let credentials: OriginCredentials?
    /// The fields of the load, without those of origins, which no redirect carries on.
    private var carriedFields: [HeaderField]
    private let defaults: [HeaderField]
    let origins: OriginTable.Snapshot
    /// The fields for one URL only.
    private let conditions: FetchConditions?
    /// The lower-case names of fields that may be sent to other origins, in addition to those without
    /// secrets.
    private let forwardedNames: Set<String>
    /// The cookies of the chain so far, each as a line in Netscape's format.
    var cookies: [CookieLine] = []
    /// The number of redirects so far.
    private(set) var redirectCount = 0
    private(set) var method: String
    private(set) var body: Data?

    // Fields that only the loader sets: they concern the encoding of the body and the use of the connection.
    static let ours: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    // Fields that describe the request body, dropped with it.
    private static let namesOfTheBody: Set = [
        "content-type", "content-encoding", "content-language", "content-location",
    ]

    /// Creates the first request of a load; the default fields are added where the request has none.
    init(
        _ request: FetchRequest,
        defaults: [HeaderField],
        forwardedNames: Set<String>,
        origins: OriginTable.Snapshot
    ) throws(FetchError) {
        address = try HTTPAddress(request.url)
        (method, body) = (request.method, request.body)
        (self.defaults, self.forwardedNames, self.origins) = (defaults, forwardedNames, origins)
        conditions = request.conditions
        credentials = origins.credentials.value(for: address.url)
        carriedFields = request.headers.filter { !Self.ours.contains($0.name.lowercased()) }
        if let authorization = address.authorization {
            carriedFields.setDefault(HeaderField("Authorization", authorization))
        }
        assembleFields()
        guard method.isSendableMethod else {
            throw FetchError(
                .invalidRequest,
                detail: "the method “\(method.prefix(20))” cannot be used to load an image"
            )
        }
        guard fields.allSatisfy(\.isSendable) else {
            // Neither name nor value is included: either may contain a secret.
            throw FetchError(
                .invalidRequest,
                detail: "a header field contains characters that cannot be sent, such as a line break"
            )
        }
    }

    /// The URL of the request, without user, password and fragment.
    var url: URL { address.url }

    /// Scheme, host and port, which separate limits and credentials.
    var origin: String { address.origin }

    /// Returns the request that a redirect leads to.
    func redirected(by head: HTTPResponseHeader, maxCount: Int) throws(FetchError) -> HTTPHop {
        guard redirectCount < maxCount else {
            throw FetchError(.redirectRefused, status: head.status, detail: "more than \(maxCount) redirects")
        }
        guard let location = head.value(of: "Location"), !location.isEmpty else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect without Location")
        }
        guard let target = URL(reference: location, relativeTo: url) else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect to an invalid URL")
        }
        let scheme = target.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" && address.scheme == "http" else {
            throw FetchError(
                .redirectRefused,
                status: head.status,
                detail: "redirected from \(address.scheme) to \(scheme?.prefix(32) ?? "")"
            )
        }
        return try HTTPHop(from: self, to: target, status: head.status)
    }

    private init(from previous: HTTPHop, to target: URL, status: Int) throws(FetchError) {
        address = try HTTPAddress(target)
        let keepsMethod = previous.method == "GET" || status == 307 || status == 308
        (method, body) = keepsMethod ? (previous.method, previous.body) : ("GET", nil)
        carriedFields = previous.carriedFields
        (conditions, forwardedNames) = (previous.conditions, previous.forwardedNames)
        (defaults, origins) = (previous.defaults, previous.origins)
        credentials = origins.credentials.value(for: address.url)
        cookies = previous.cookies
        redirectCount = previous.redirectCount + 1
        if !keepsMethod { carriedFields.removeAll { Self.namesOfTheBody.contains($0.name.lowercased()) } }
        guard body == nil || origin == previous.origin else {
            throw FetchError(
                .redirectRefused,
                status: status,
                detail: "the request body must not be sent to another origin, \(address.host)"
            )
        }
        if origin != previous.origin {
            carriedFields.removeAll { !$0.isForAnyOrigin && !forwardedNames.contains($0.name.lowercased()) }
        }
        if url != previous.url { carriedFields.removeConditions() }
        assembleFields()
    }

    private mutating func assembleFields() {
        if let conditions, conditions.apply(to: url) {
            for field in conditions.headers { carriedFields.setDefault(field) }
        }
        fields = carriedFields
        for field in credentials?.headers ?? [] { fields.setDefault(field) }
        for field in defaults { fields.setDefault(field) }
    }
}

extension [HeaderField] {
    /// Appends a field, unless there is one of its name.
    fileprivate mutating func setDefault(_ field: HeaderField) {
        let name = field.name.lowercased()
        if !contains(where: { $0.isNamed(name) }) { append(field) }
    }

    /// Removes the fields that refer to the content of one URL (RFC 9110 §13.1), except a range without
    /// `If-Range`.
    fileprivate mutating func removeConditions() {
        let isRest = contains { $0.isNamed("if-range") }
        removeAll { $0.isCondition || isRest && $0.isNamed("range") }
    }
}

extension HeaderField {
    /// Whether the name is a token and the value has no control characters (RFC 9110 §5.1, §5.5).
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension String {
    /// Whether it is a method whose response may have a body, and that does not control the connection.
    fileprivate var isSendableMethod: Bool {
        !isEmpty && utf8.count <= 32 && utf8.allSatisfy(\.isTokenCharacter)
            && !["HEAD", "CONNECT", "TRACE"].contains(uppercased())
    }
}
