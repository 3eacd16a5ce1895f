/// Why a URL did not become bytes.
public struct FetchError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// The URL cannot be understood.
        public static let invalidURL = Code("invalidURL")
        /// A header field of the request holds characters that may not be sent.
        public static let invalidRequest = Code("invalidRequest")
        /// No loader is registered for the URL's scheme.
        public static let unsupportedScheme = Code("unsupportedScheme")
        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound")
        /// No connection could be made.
        public static let connectionFailed = Code("connectionFailed")
        /// The connection ended before the answer did.
        public static let connectionLost = Code("connectionLost")
        /// TLS could not be agreed on or the certificate does not hold.
        public static let insecureConnection = Code("insecureConnection")
        /// Connecting, the next byte, or the whole took too long.
        public static let timedOut = Code("timedOut")
        /// The status is not among the accepted ones.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The type of the content is not among the accepted ones.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// There were more redirects than allowed, or one to where none may lead.
        public static let redirectRefused = Code("redirectRefused")
        /// The body is larger than allowed.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The body has another number of bytes than was announced.
        public static let lengthMismatch = Code("lengthMismatch")
        /// The answer breaks the rules of HTTP.
        public static let invalidResponse = Code("invalidResponse")
        /// There is no such file.
        public static let fileNotFound = Code("fileNotFound")
        /// The file is there but cannot be read.
        public static let fileNotReadable = Code("fileNotReadable")
        /// Too many loads wait already.
        public static let overloaded = Code("overloaded")
        /// The loader has been shut down.
        public static let closed = Code("closed")
    }

    /// What went wrong.
    public let code: Code
    /// The status, where an answer had one.
    public let status: Int?
    /// Whether another try may succeed.
    public let isRetryable: Bool
    /// How long the origin asks to wait before another try, where it does.
    public let retryAfter: Duration?
    /// Free text for the log; may hold host names, never credentials.
    public let detail: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - status: The status, where an answer had one.
    ///   - isRetryable: Whether another try may succeed.
    ///   - retryAfter: How long the origin asks to wait before it.
    ///   - detail: Free text for the log.
    public init(
        _ code: Code,
        status: Int? = nil,
        isRetryable: Bool = false,
        retryAfter: Duration? = nil,
        detail: String
    ) {
        self.code = code
        self.status = status
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
        self.detail = detail
    }
}

extension FetchError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}
