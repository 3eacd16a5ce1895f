/// The measurements of one request of a load: one for each redirect, each try, and each part of a body.
public struct FetchTransaction: Hashable, Sendable {
    /// The URL, without user, password, query and fragment.
    public var address: String
    /// The status of the response; `nil` if there was none.
    public var status: Int?
    /// The version of HTTP by its ALPN name (`http/1.1`, `h2`); `nil` if none was negotiated.
    public var version: String?
    /// Whether it reused an existing connection.
    public var isReused = false
    /// The remote address; `nil` if there was no connection.
    public var remoteAddress: String?
    /// The time of the host name lookup, which may have been cached; zero if the URL contains an address.
    public var nameLookup: Duration = .zero
    /// The time of connecting without TLS; `nil` for a reused connection.
    public var connect: Duration?
    /// The time of the TLS handshake; `nil` if there was none.
    public var tlsHandshake: Duration?
    /// The time from the request to the first byte of the response; `nil` if there was none.
    public var wait: Duration?
    /// The time from the first byte of the response to its last.
    public var body: Duration = .zero
    /// The total time, without the host name lookup and the queues of the loader.
    public var total: Duration = .zero
    /// The bytes of the request, including its header fields.
    public var sentByteCount = 0
    /// The bytes of the response body as received, compressed or not.
    public var receivedByteCount = 0

    /// Creates a transaction with all measurements at their defaults.
    public init(address: String) {
        self.address = address
    }
}
