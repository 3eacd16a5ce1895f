internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading

extension LoadError {
    /// What went wrong, in whichever stage; open, so that a new code breaks nobody's `switch`.
    ///
    /// Those that programs tell apart have names here; for all others there is the word of the underlying
    /// error's own code.
    public struct Code: Hashable, Sendable {
        /// The fixed word of the underlying error's code, for metrics and the command line.
        public let label: String

        /// The text is no URL.
        public static let invalidURL = Code(label: FetchError.Code.invalidURL.label)
        /// The host's name has no address.
        public static let hostNotFound = Code(label: FetchError.Code.hostNotFound.label)
        /// The address policy does not permit the host's address.
        public static let addressRefused = Code(label: FetchError.Code.addressRefused.label)
        /// No connection could be made.
        public static let connectionFailed = Code(label: FetchError.Code.connectionFailed.label)
        /// The origin, or the decode, took too long.
        public static let timedOut = Code(label: FetchError.Code.timedOut.label)
        /// The origin answered with an error; ``LoadError/httpStatus`` has its status.
        public static let unacceptableStatus = Code(label: FetchError.Code.unacceptableStatus.label)
        /// The body is larger than allowed.
        public static let bodyTooLarge = Code(label: FetchError.Code.bodyTooLarge.label)
        /// There is no such file.
        public static let fileNotFound = Code(label: FetchError.Code.fileNotFound.label)
        /// Too many loads wait already.
        public static let overloaded = Code(label: FetchError.Code.overloaded.label)
        /// The bytes are no image.
        public static let unrecognizedFormat = Code(label: DecodeError.Code.unrecognizedFormat.label)
        /// The image is damaged.
        public static let corrupt = Code(label: DecodeError.Code.corrupt.label)
        /// The image is larger than the limits allow.
        public static let limitExceeded = Code(label: DecodeError.Code.limitExceeded.label)
        /// The image is in no cache, and the request forbids loading it.
        public static let notInCache = Code(label: NotInCacheError().codeLabel)
    }

    /// What went wrong, in whichever stage.
    public var code: Code { Code(label: codeLabel) }

    /// The status that the origin answered with, where it answered with an error.
    public var httpStatus: Int? { (underlying as? FetchError)?.status }

    /// Whether the same request may succeed at another time without a change by the caller: the origin was
    /// busy or not reachable, or a store was full or busy.
    public var isRetryable: Bool {
        switch underlying {
        case let error as FetchError: error.isRetryable
        case let error as DiskCacheError: error.isRetryable
        default: underlying is StoreBusyError
        }
    }
}
