/// What one request of a load took: there is one for each redirect, each try, and each part of a body.
public struct FetchTransaction: Hashable, Sendable {
    /// The URL, without user, password, query and fragment.
    public var address: String
    /// The status of the answer; `nil` where none came.
    public var status: Int?
    /// The version of HTTP as it names itself (`http/1.1`, `h2`); `nil` where none was agreed on.
    public var version: String?
    /// Whether it went over a connection that had been made before.
    public var isReused = false
    /// The address that was connected to; `nil` where there was no connection.
    public var remoteAddress: String?
    /// The look-up of the host's name, which may have been in memory; zero where the URL spells an address.
    public var nameLookup: Duration = .zero
    /// The connection without TLS; `nil` where one was kept.
    public var connect: Duration?
    /// The agreement on TLS; `nil` where there was none to be made.
    public var secure: Duration?
    /// From the request to the first byte of the answer; `nil` where none came.
    public var wait: Duration?
    /// From the first byte of the answer to its last.
    public var body: Duration = .zero
    /// The whole, without the look-up of the name and without queues of the loader.
    public var total: Duration = .zero
    /// The bytes of the request with its header fields.
    public var sentByteCount = 0
    /// The bytes of the answer's body as they came, packed or not.
    public var receivedByteCount = 0

    /// Creates a transaction that took nothing; each default is stated at its property.
    public init(address: String) {
        self.address = address
    }
}
