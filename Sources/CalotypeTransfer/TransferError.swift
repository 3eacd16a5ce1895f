/// Why a transfer did not come to its end.
package struct TransferError: Error, Hashable {
    /// What went wrong.
    package enum Kind: Hashable, Sendable {
        /// The URL is none for libcurl.
        case invalidURL
        /// The name of the host, or of the proxy, has no address.
        case hostNotFound
        /// The client's rule for addresses refused it.
        case addressRefused
        /// There is no connection.
        case notConnected
        /// The time for the connection is over.
        case connectTimedOut
        /// The other side was silent for too long.
        case idleTimedOut
        /// The time for the whole is over.
        case totalTimedOut
        /// TLS could not be agreed on.
        case insecure
        /// The certificate is for another name.
        case otherName
        /// The certificate does not hold.
        case untrusted
        /// The proxy asks for a user and a password, or for others.
        case proxyAuthentication
        /// The proxy opens no tunnel.
        case proxyFailed
        /// The connection ended before the answer.
        case lost
        /// The body ended, in order, before its announced end.
        case short
        /// Bytes follow after the end of the answer.
        case excess
        /// What came is not HTTP.
        case invalidAnswer
        /// The head is larger than allowed.
        case headTooLarge
        /// The body is larger than allowed.
        case bodyTooLarge
        /// The body is unpacked to far more than packing explains.
        case bomb
        /// The body cannot be unpacked.
        case invalidCoding
        /// There was no memory.
        case outOfMemory
        /// The system gave no thread.
        case noThread
        /// The client was closed.
        case closed
    }

    /// What went wrong.
    package let kind: Kind
    /// What the system or libcurl says to it; may be empty.
    package let message: String

    package init(_ kind: Kind, _ message: String = "") {
        self.kind = kind
        self.message = message
    }
}
