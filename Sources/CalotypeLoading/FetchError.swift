public import CalotypeCore
package import FoundationEssentials

/// Why a URL did not become bytes.
public struct FetchError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String
        /// Whose fault it is.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// The URL cannot be understood.
        public static let invalidURL = Code("invalidURL", .caller)
        /// A header field of the request holds characters that may not be sent.
        public static let invalidRequest = Code("invalidRequest", .caller)
        /// No loader is registered for the URL's scheme, or HTTP was left out of this build (the package
        /// trait `HTTP`).
        public static let unsupportedScheme = Code("unsupportedScheme", .caller)
        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound", .origin)
        /// The address policy does not permit the host's address.
        public static let addressRefused = Code("addressRefused", .caller)
        /// No connection could be made.
        public static let connectionFailed = Code("connectionFailed", .origin)
        /// The connection ended before the answer did.
        public static let connectionLost = Code("connectionLost", .origin)
        /// TLS could not be agreed on or the certificate does not hold.
        public static let insecureConnection = Code("insecureConnection", .origin)
        /// Connecting, the next byte, or the whole took too long.
        public static let timedOut = Code("timedOut", .origin)
        /// The status is not among the accepted ones.
        public static let unacceptableStatus = Code("unacceptableStatus", .origin)
        /// The type of the content is not among the accepted ones.
        public static let unacceptableContentType = Code("unacceptableContentType", .origin)
        /// There were more redirects than allowed, or one to where none may lead.
        public static let redirectRefused = Code("redirectRefused", .origin)
        /// The body is larger than allowed.
        public static let bodyTooLarge = Code("bodyTooLarge", .limit)
        /// The body has another number of bytes than was announced.
        public static let lengthMismatch = Code("lengthMismatch", .origin)
        /// The answer breaks the rules of HTTP.
        public static let invalidResponse = Code("invalidResponse", .origin)
        /// There is no such file.
        public static let fileNotFound = Code("fileNotFound", .caller)
        /// The file is there but cannot be read.
        public static let fileNotReadable = Code("fileNotReadable", .environment)
        /// Too many loads wait already.
        public static let overloaded = Code("overloaded", .limit)
        /// What the loader's credentials stand for (`DataLoader.cacheIdentity(for:)`) changed meanwhile.
        public static let identityChanged = Code("identityChanged", .caller)
        /// The loader has cancelled the load though nobody had asked for that.
        public static let abandoned = Code("abandoned", .environment)
        /// The loader has been shut down.
        public static let closed = Code("closed", .caller)
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
    /// The URL whose response it is, after redirects, where there was one.
    package var answeringURL: URL?

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

extension FetchError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}
