public import CalotypeCore
package import FoundationEssentials

/// An error of loading the bytes behind a URL.
public struct FetchError: CodedError, Hashable {
    /// The kind of failure; open, so that a new code does not break an exhaustive `switch`.
    public struct Code: ErrorCode {
        /// A fixed label for metrics and the command line; never built from input.
        public let label: String
        /// The party responsible for the failure.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// The URL cannot be parsed.
        public static let invalidURL = Code("invalidURL", .caller)
        /// A header field of the request contains characters that cannot be sent.
        public static let invalidRequest = Code("invalidRequest", .caller)
        /// No loader is registered for the URL's scheme, or HTTP was left out of this build (the package
        /// trait `HTTP`).
        public static let unsupportedScheme = Code("unsupportedScheme", .caller)
        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound", .origin)
        /// The address policy does not permit the host's address.
        public static let addressRefused = Code("addressRefused", .caller)
        /// No connection could be established.
        public static let connectionFailed = Code("connectionFailed", .origin)
        /// The connection was closed before the response was complete.
        public static let connectionLost = Code("connectionLost", .origin)
        /// TLS could not be negotiated, or the certificate is not valid.
        public static let insecureConnection = Code("insecureConnection", .origin)
        /// Connecting, receiving the next byte, or the whole load took too long.
        public static let timedOut = Code("timedOut", .origin)
        /// The status is not among the accepted ones.
        public static let unacceptableStatus = Code("unacceptableStatus", .origin)
        /// The content type is not among the accepted ones.
        public static let unacceptableContentType = Code("unacceptableContentType", .origin)
        /// There were more redirects than allowed, or one to a target that is not permitted.
        public static let redirectRefused = Code("redirectRefused", .origin)
        /// The body exceeds the limit.
        public static let bodyTooLarge = Code("bodyTooLarge", .limit)
        /// The length of the body differs from the announced one.
        public static let lengthMismatch = Code("lengthMismatch", .origin)
        /// The response violates HTTP.
        public static let invalidResponse = Code("invalidResponse", .origin)
        /// The file does not exist.
        public static let fileNotFound = Code("fileNotFound", .caller)
        /// The file exists but cannot be read.
        public static let fileNotReadable = Code("fileNotReadable", .environment)
        /// The queue of loads is full.
        public static let overloaded = Code("overloaded", .limit)
        /// The identity of the loader's credentials (`DataLoader.cacheIdentity(for:)`) changed meanwhile.
        public static let identityChanged = Code("identityChanged", .caller)
        /// The loader cancelled the load without being asked to.
        public static let abandoned = Code("abandoned", .environment)
        /// The loader has been shut down.
        public static let closed = Code("closed", .caller)
    }

    /// The kind of failure.
    public let code: Code
    /// The status, if there was a response.
    public let status: Int?
    /// Whether a retry may succeed.
    public let isRetryable: Bool
    /// The time that the origin asks to wait before a retry, if it does.
    public let retryAfter: Duration?
    /// Free text for the log; may contain host names, never credentials.
    public let detail: String
    /// The URL that failed, after redirects, if it is known.
    package var answeringURL: URL?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - status: The status, if there was a response.
    ///   - isRetryable: Whether a retry may succeed.
    ///   - retryAfter: The time that the origin asks to wait before it.
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

extension FetchError {
    /// Whether two errors are equal; the URL that failed does not count, as it is not public.
    public static func == (left: FetchError, right: FetchError) -> Bool {
        (left.code, left.status, left.isRetryable, left.retryAfter, left.detail)
            == (right.code, right.status, right.isRetryable, right.retryAfter, right.detail)
    }

    /// Hashes parts that are compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(detail)
    }
}
