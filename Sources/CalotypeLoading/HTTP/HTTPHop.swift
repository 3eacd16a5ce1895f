import AsyncHTTPClient
import FoundationEssentials
import NIOHTTP1

/// One request of a load: the first, or one that a redirect has led to.
struct HTTPHop {
    /// Where the request goes, without user, password and fragment.
    let url: URL
    /// The header fields that the request is sent with.
    private(set) var fields: [HeaderField]
    /// The number of redirects that led here.
    private(set) var redirectCount = 0

    /// Longer URLs are refused; servers take 8 to 16 KiB.
    private static let urlByteCountMax = 64 << 10
    /// What must not reach another origin than the one it was given for.
    private static let credentials: Set = ["authorization", "cookie", "proxy-authorization"]
    /// What the loader alone decides: how the body comes, and how the connection is used.
    private static let ours: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// The first request of a load.
    init(_ request: FetchRequest, _ configuration: HTTPDataLoader.Configuration) throws(FetchError) {
        try Self.check(request.url)
        url = try Self.bare(request.url)
        fields = request.headers.filter { !Self.ours.contains($0.name.lowercased()) }
        setDefault("User-Agent", configuration.userAgent)
        setDefault("Accept", configuration.accept)
        fields.append(HeaderField("Accept-Encoding", "identity"))
        if let authorization = Self.basicAuthorization(request.url) {
            setDefault("Authorization", authorization)
        }
    }

    /// Scheme, host and port, as they count for limits and credentials.
    var origin: String {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(url.host?.lowercased() ?? ""):\(port)"
    }

    /// The request that a redirect asks for.
    func redirected(by head: HTTPAnswerHead, countMax: Int) throws(FetchError) -> HTTPHop {
        guard redirectCount < countMax else {
            throw FetchError(.redirectRefused, status: head.status, detail: "more than \(countMax) redirects")
        }
        guard let location = head.value(of: "Location") else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect without a Location")
        }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw FetchError(.invalidResponse, status: head.status, detail: "a redirect to what is not a URL")
        }
        let scheme = target.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" && url.scheme?.lowercased() == "http" else {
            throw FetchError(
                .redirectRefused,
                status: head.status,
                detail: "redirected from \(url.scheme ?? "") to \(scheme?.prefix(32) ?? "")"
            )
        }
        return try HTTPHop(from: self, to: target)
    }

    private init(from previous: HTTPHop, to target: URL) throws(FetchError) {
        try Self.check(target)
        url = try Self.bare(target)
        fields = previous.fields
        redirectCount = previous.redirectCount + 1
        if origin != previous.origin {
            fields.removeAll { Self.credentials.contains($0.name.lowercased()) }
        }
    }

    private mutating func setDefault(_ name: String, _ value: String) {
        guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
        fields.append(HeaderField(name, value))
    }

    private static func check(_ url: URL) throws(FetchError) {
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw FetchError(.unsupportedScheme, detail: "“\(scheme.prefix(32))” is neither http nor https")
        }
        guard url.absoluteString.utf8.count <= urlByteCountMax else {
            throw FetchError(.invalidURL, detail: "the URL has more than \(urlByteCountMax) bytes")
        }
        guard let host = url.host, !host.isEmpty else {
            throw FetchError(.invalidURL, detail: "the URL has no host")
        }
        // The client would ask for the root in its place.
        guard url.path(percentEncoded: true).isEmpty || !url.path(percentEncoded: false).isEmpty else {
            throw FetchError(.invalidURL, detail: "the URL's path is not UTF-8")
        }
        guard (1...65_535).contains(url.port ?? 80) else {
            throw FetchError(.invalidURL, detail: "the URL's port is not between 1 and 65535")
        }
    }

    /// The URL without user, password and fragment.
    private static func bare(_ url: URL) throws(FetchError) -> URL {
        if url.user == nil, url.password == nil, url.fragment == nil { return url }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.percentEncodedUser = nil
        components?.percentEncodedPassword = nil
        components?.percentEncodedFragment = nil
        guard let bare = components?.url else {
            throw FetchError(.invalidURL, detail: "the URL cannot be taken apart")
        }
        return bare
    }

    private static func basicAuthorization(_ url: URL) -> String? {
        let user = url.user(percentEncoded: false) ?? ""
        let password = url.password(percentEncoded: false) ?? ""
        if user.isEmpty, password.isEmpty { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}

extension HTTPHop {
    /// The request as the client takes it.
    var clientRequest: HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.headers = HTTPHeaders(fields.map { ($0.name, $0.value) })
        return request
    }
}
