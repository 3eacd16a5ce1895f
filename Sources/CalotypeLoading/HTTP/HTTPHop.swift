import CalotypeTransfer
import FoundationEssentials

/// One request of a load: the first, or one that a redirect has led to.
struct HTTPHop {
    /// Where the request goes.
    let address: HTTPAddress
    /// The header fields that the request is sent with.
    private(set) var fields: [HeaderField]
    /// The fields that go to one URL alone.
    private let conditions: FetchConditions?
    /// The names of fields that go along to other origins, in lower case, beside those without secrets.
    private let forwardedNames: Set<String>
    /// The cookies of the chain so far, each a line in Netscape's format.
    var cookies: [CookieLine] = []
    /// The number of redirects that led here.
    private(set) var redirectCount = 0
    /// The method.
    private(set) var method: String
    /// The bytes that go with it.
    private(set) var body: Data?

    /// What the loader alone decides: how the body comes, and how the connection is used.
    private static let ours: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// What speaks of a body that is not sent any more.
    private static let namesOfTheBody: Set = [
        "content-type", "content-encoding", "content-language", "content-location",
    ]

    /// The first request of a load.
    init(_ request: FetchRequest, _ configuration: HTTPDataLoader.Configuration) throws(FetchError) {
        address = try HTTPAddress(request.url)
        (method, body) = (request.method, request.body)
        forwardedNames = Set(configuration.forwardedHeaderNames.map { $0.lowercased() })
        conditions = request.conditions
        fields = request.headers.filter { !Self.ours.contains($0.name.lowercased()) }
        setDefault("User-Agent", configuration.userAgent)
        setDefault("Accept", configuration.accept)
        if let authorization = address.authorization { setDefault("Authorization", authorization) }
        addConditions()
        guard method.isSendableMethod else {
            throw FetchError(
                .invalidRequest,
                detail: "the method “\(method.prefix(20))” is none for an image"
            )
        }
        guard fields.allSatisfy(\.isSendable) else {
            // Neither name nor value is shown: either may hold a secret.
            throw FetchError(
                .invalidRequest,
                detail: "a header field holds characters that cannot be sent, such as a line break"
            )
        }
    }

    /// Where the request goes, without user, password and fragment.
    var url: URL { address.url }

    /// Scheme, host and port, as they count for limits and credentials.
    var origin: String { address.origin }

    /// The request that a redirect asks for.
    func redirected(by head: HTTPAnswerHead, countMax: Int) throws(FetchError) -> HTTPHop {
        guard redirectCount < countMax else {
            throw FetchError(.redirectRefused, status: head.status, detail: "more than \(countMax) redirects")
        }
        guard let location = head.value(of: "Location"), !location.isEmpty else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect without a Location")
        }
        guard let target = URL(reference: location, relativeTo: url) else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect to what is not a URL")
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
        fields = previous.fields
        (conditions, forwardedNames) = (previous.conditions, previous.forwardedNames)
        cookies = previous.cookies
        redirectCount = previous.redirectCount + 1
        if !keepsMethod { fields.removeAll { Self.namesOfTheBody.contains($0.name.lowercased()) } }
        guard body == nil || origin == previous.origin else {
            throw FetchError(
                .redirectRefused,
                status: status,
                detail: "the body of the request was not given for \(address.host)"
            )
        }
        if origin != previous.origin {
            fields.removeAll { !$0.isForAnyOrigin && !forwardedNames.contains($0.name.lowercased()) }
        }
        if url != previous.url { fields.removeConditions() }
        addConditions()
    }

    /// Adds the fields of conditions that belong to this URL.
    private mutating func addConditions() {
        guard let conditions, conditions.apply(to: url) else { return }
        for field in conditions.headers { setDefault(field.name, field.value) }
    }

    private mutating func setDefault(_ name: String, _ value: String) {
        let lowercaseName = name.lowercased()
        if fields.contains(where: { $0.isNamed(lowercaseName) }) { return }
        fields.append(HeaderField(name, value))
    }
}

extension [HeaderField] {
    /// Removes the fields that speak of the content of one URL (RFC 9110 §13.1); a range stands by itself.
    fileprivate mutating func removeConditions() {
        let isRest = contains { $0.isNamed("if-range") }
        removeAll { $0.isCondition || isRest && $0.isNamed("range") }
    }
}

extension HeaderField {
    /// Whether the name is a token and the value has no control characters (RFC 9110 §5.1, §5.5).
    fileprivate var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension String {
    /// Whether it is a method that may have an answer with a body and is not one of the connection's.
    fileprivate var isSendableMethod: Bool {
        !isEmpty && utf8.count <= 32 && utf8.allSatisfy(\.isTokenCharacter)
            && !["HEAD", "CONNECT", "TRACE"].contains(uppercased())
    }
}
