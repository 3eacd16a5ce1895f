package import FoundationEssentials

/// One request, checked and ready to be sent.
package struct TransferRequest: Sendable {
    /// The absolute URL, without user, password and fragment.
    package var url: String
    /// Header fields as they go out, `Name: value`.
    package var fields: [String]
    /// The cookies that may be sent, each a line in Netscape's format; libcurl picks those for the URL.
    package var cookies: [CookieLine] = []
    /// A `Cookie` of the caller's own, sent in one field with those; none unless set.
    package var ownCookie: String?
    /// The method; `GET` unless set.
    package var method = "GET"
    /// The bytes that go with the request; none unless set.
    package var body: Data?
    /// The addresses of the host, so that libcurl looks up none; `nil` where the URL spells one, or where a
    /// proxy finds them.
    package var addresses: HostAddresses?
    /// The most bytes that the body may have, unpacked.
    package var byteCountMax: Int
    /// The most bytes that all lines of the head may have.
    package var headByteCountMax = 64 << 10
    /// The time for a connection to be made, TLS included.
    package var connectTimeout: Duration
    /// The longest silence once the request is sent.
    package var idleTimeout: Duration
    /// The time from now to the last byte.
    package var totalTimeout: Duration
    /// Whether the body is unpacked; otherwise it comes as it was sent, whatever its coding.
    package var unpacks = true
    /// The proxy that makes the connection.
    package var proxy: TransferProxy?

    /// Whether it may be sent a second time without the other side's word.
    package var isRepeatable: Bool { method == "GET" && body == nil }

    /// Whether it goes out without TLS.
    var isPlain: Bool { url.prefix(5).lowercased() == "http:" }

    /// Creates a request.
    package init(
        url: String,
        fields: [String],
        byteCountMax: Int,
        connectTimeout: Duration,
        idleTimeout: Duration,
        totalTimeout: Duration
    ) {
        self.url = url
        self.fields = fields
        self.byteCountMax = byteCountMax
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
    }
}

/// The addresses that a name has, for one port.
package struct HostAddresses: Hashable, Sendable {
    /// The name as the URL writes it.
    package var host: String
    /// The port that is connected to.
    package var port: Int
    /// The addresses.
    package var addresses: [IPAddress]

    /// Creates the addresses of a name.
    package init(host: String, port: Int, addresses: [IPAddress]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// As `CURLOPT_RESOLVE` takes it; the plus lets libcurl forget it after a minute.
    var entry: String {
        let list = addresses.map(\.urlText).joined(separator: ",")
        return "+\(host):\(port):\(list)"
    }
}

/// A proxy as libcurl takes it.
package struct TransferProxy: Hashable, Sendable {
    /// Scheme, host and port: `http://proxy.test:3128`, `socks5h://proxy.test:1080`.
    package var url: String
    /// User and password, joined by a colon.
    package var credentials: String?
    /// Whether it is asked for a tunnel for plain HTTP as well.
    package var tunnelsPlainHTTP: Bool

    /// Creates a proxy.
    package init(url: String, credentials: String? = nil, tunnelsPlainHTTP: Bool = true) {
        self.url = url
        self.credentials = credentials
        self.tunnelsPlainHTTP = tunnelsPlainHTTP
    }
}

/// What all transfers of a client have in common.
package struct TransferSettings: Sendable {
    /// Whether a connection to an address may be made.
    package typealias Permits = @Sendable (IPAddress) -> Bool

    /// The most connections that are kept open.
    package var connectionCountMax = 64
    /// How long a connection is kept that nobody uses; 60 s unless set.
    package var keepTimeout: Duration = .seconds(60)
    /// Certificates in PEM form that are trusted beside those of the system.
    package var trustRoots: [UInt8] = []
    /// Where all connections go instead of to a host and port.
    package var unixSocketPath: String?
    /// Which addresses may be connected to; `nil`: each.
    package var permits: Permits?

    /// Creates settings with the defaults.
    package init() {}
}
