/// The reason why a transfer failed.
package struct TransferError: Error, Hashable {
    package enum Kind: Hashable, Sendable {
        /// libcurl rejects the URL.
        case invalidURL
        /// The name of the host, or of the proxy, has no address.
        case hostNotFound
        /// The address policy refused the address.
        case addressRefused
        /// No connection could be established.
        case notConnected
        /// The connection timeout expired.
        case connectTimedOut
        /// The server was silent for too long.
        case idleTimedOut
        /// The total timeout expired.
        case totalTimedOut
        /// TLS could not be negotiated.
        case insecure
        /// The certificate is for another name.
        case otherName
        /// The certificate is not valid.
        case untrusted
        /// The proxy requires a user and password, or different ones.
        case proxyAuthentication
        /// The proxy refused a tunnel.
        case proxyFailed
        /// The connection was closed before the end of the response.
        case lost
        /// The body ended, in order, before its announced end.
        case short
        /// There were bytes after the end of the response.
        case excess
        /// The response is not HTTP.
        case invalidAnswer
        case headTooLarge
        case bodyTooLarge
        /// The body decompresses to far more than its encoding explains.
        case bomb
        /// The body has several codings, one within the other.
        case severalCodings
        /// The body cannot be decompressed.
        case invalidCoding
        /// Memory could not be allocated.
        case outOfMemory
        /// The system refused a thread.
        case noThread
        case closed
    }

    package let kind: Kind
    /// The message of the system or libcurl; may be empty.
    package let message: String

    package init(_ kind: Kind, _ message: String = "") {
        self.kind = kind
        self.message = message
    }
}
