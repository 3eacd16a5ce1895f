package import FoundationEssentials

/// A validated request, ready to be sent.
package struct TransferRequest: Sendable {
    /// The absolute URL, without user, password and fragment.
    package var url: String
    /// The header fields, as `Name: value`.
    package var fields: [String]
    /// The cookies that may be sent, each a line in Netscape's format; libcurl selects those for the URL.
    package var cookies: [CookieLine] = []
    /// A `Cookie` value of the caller, sent in one field with those; none unless set.
    package var ownCookie: String?
    /// The method; `GET` unless set.
    package var method = "GET"
    /// The body of the request; none unless set.
    package var body: Data?
    /// The addresses of the host, so that libcurl does not resolve it; `nil` if the URL contains an address,
    /// or a proxy resolves the host.
    package var addresses: HostAddresses?
    /// The most bytes of the body, decompressed.
    package var maxByteCount: Int
    /// The most bytes of all lines of the header.
    package var maxHeadByteCount = 64 << 10
    /// The most time for establishing a connection, including TLS.
    package var connectTimeout: Duration
    /// The longest silence once the request is sent.
    package var idleTimeout: Duration
    /// The most time until the last byte.
    package var totalTimeout: Duration
    /// Whether to decompress the body; otherwise it is returned as sent.
    package var unpacks = true
    /// The proxy that makes the connection; `nil` for none.
    package var proxy: TransferProxy?
    /// The certificates for the origin; `nil` for the client's.
    package var tls: TransferTLS?

    /// Whether it may be sent again without side effects.
    package var isRepeatable: Bool { method == "GET" && body == nil }

    /// Whether it is sent without TLS.
    var isPlain: Bool { url.prefix(5).lowercased() == "http:" }

    package init(
        url: String,
        fields: [String],
        maxByteCount: Int,
        connectTimeout: Duration,
        idleTimeout: Duration,
        totalTimeout: Duration
    ) {
        self.url = url
        self.fields = fields
        self.maxByteCount = maxByteCount
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
    }
}

/// The addresses of a name, for one port.
package struct HostAddresses: Hashable, Sendable {
    /// The name as written in the URL.
    package var host: String
    package var port: Int
    package var addresses: [IPAddress]

    package init(host: String, port: Int, addresses: [IPAddress]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// The text for `CURLOPT_RESOLVE`; the plus makes libcurl drop it after a minute.
    var entry: String {
        let list = addresses.map(\.urlText).joined(separator: ",")
        return "+\(host):\(port):\(list)"
    }
}

package struct TransferProxy: Hashable, Sendable {
    /// Scheme, host and port: `http://proxy.test:3128`, `socks5h://proxy.test:1080`.
    package var url: String
    /// User and password, joined by a colon.
    package var credentials: String?
    /// Whether to use a tunnel for plain HTTP too.
    package var tunnelsPlainHTTP: Bool

    package init(url: String, credentials: String? = nil, tunnelsPlainHTTP: Bool = true) {
        self.url = url
        self.credentials = credentials
        self.tunnelsPlainHTTP = tunnelsPlainHTTP
    }
}

/// Certificates for one origin, in PEM format; connections of other certificates are not reused.
package struct TransferTLS: Hashable, Sendable {
    /// The trusted certificates in place of the system's and the client's; empty for those.
    package var trustRoots: [UInt8]
    /// The client's certificate with its chain; empty for none.
    package var certificate: [UInt8]
    /// The private key of the certificate.
    package var key: [UInt8]

    package init(trustRoots: [UInt8] = [], certificate: [UInt8] = [], key: [UInt8] = []) {
        (self.trustRoots, self.certificate, self.key) = (trustRoots, certificate, key)
    }
}

/// The settings shared by all transfers of a client.
package struct TransferSettings: Sendable {
    /// Returns whether a connection to an address is permitted.
    package typealias Permits = @Sendable (IPAddress) -> Bool

    /// The most idle connections kept open.
    package var maxConnectionCount = 64
    /// The time for which an idle connection is kept open; 60 s unless set.
    package var keepTimeout: Duration = .seconds(60)
    /// Certificates in PEM format that are trusted in addition to the system's.
    package var trustRoots: [UInt8] = []
    /// The path of the Unix domain socket for all connections, in place of hosts and ports; `nil` for none.
    package var unixSocketPath: String?
    /// The address policy; `nil` permits all addresses.
    package var permits: Permits?

    /// Creates settings with the defaults.
    package init() {}
}
