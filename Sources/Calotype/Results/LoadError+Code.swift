internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeTransforms

extension LoadError {
    /// The kind of a failure, in any stage; open, so that a new code breaks no `switch`.
    ///
    /// Codes that programs usually distinguish have constants here; all others have the label of the
    /// underlying error's code.
    public struct Code: Hashable, Sendable {
        /// The fixed word of the underlying error's code, for metrics and the command line.
        public let label: String

        /// The text is not a URL.
        public static let invalidURL = Code(label: FetchError.Code.invalidURL.label)
        /// The host name has no address.
        public static let hostNotFound = Code(label: FetchError.Code.hostNotFound.label)
        /// The address policy does not permit the host's address.
        public static let addressRefused = Code(label: FetchError.Code.addressRefused.label)
        /// No connection could be made.
        public static let connectionFailed = Code(label: FetchError.Code.connectionFailed.label)
        /// The origin or the decode took too long.
        public static let timedOut = Code(label: FetchError.Code.timedOut.label)
        /// The origin returned an error status; ``LoadError/httpStatus`` has it.
        public static let unacceptableStatus = Code(label: FetchError.Code.unacceptableStatus.label)
        /// The body is larger than allowed.
        public static let bodyTooLarge = Code(label: FetchError.Code.bodyTooLarge.label)
        /// The file does not exist.
        public static let fileNotFound = Code(label: FetchError.Code.fileNotFound.label)
        /// Too many loads are waiting.
        public static let overloaded = Code(label: FetchError.Code.overloaded.label)
        /// The bytes are not an image.
        public static let unrecognizedFormat = Code(label: DecodeError.Code.unrecognizedFormat.label)
        /// The image is damaged.
        public static let corrupt = Code(label: DecodeError.Code.corrupt.label)
        /// The image exceeds the limits.
        public static let limitExceeded = Code(label: DecodeError.Code.limitExceeded.label)
        /// The image is not in a cache, and the request does not allow loading it.
        public static let notInCache = Code(label: NotInCacheError().code.label)
    }

    /// The kind of the failure, in any stage.
    public var code: Code { Code(label: codeLabel) }

    /// The HTTP status of the origin's error response, if there was one.
    public var httpStatus: Int? { (underlying as? FetchError)?.status }

    /// True if the same request may succeed later without a change: the origin was busy or not reachable, a
    /// store was full or busy, or the machine had no memory or no free codec worker.
    public var isRetryable: Bool { (underlying as? any CodedError)?.isRetryable ?? false }
}
