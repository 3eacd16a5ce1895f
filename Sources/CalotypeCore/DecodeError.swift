/// Why bytes did not become an image.
public struct DecodeError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// No registered decoder knows the bytes.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// There are no bytes.
        public static let empty = Code("empty")
        /// The input ends before the image does.
        public static let truncated = Code("truncated")
        /// The bytes break the rules of their format.
        public static let corrupt = Code("corrupt")
        /// Decoding would cost more than `DecodeLimits` allow.
        public static let limitExceeded = Code("limitExceeded")
        /// The format is known, but not this feature of it.
        public static let unsupportedFeature = Code("unsupportedFeature")
        /// There is no memory for the pixels.
        public static let outOfMemory = Code("outOfMemory")
        /// Decoding took longer than `DecodeLimits.durationMax`.
        public static let timedOut = Code("timedOut")
        /// Nobody waited for the image any more; whoever awaits a decode gets `CancellationError` instead.
        public static let cancelled = Code("cancelled")
        /// Too many threads are held by files of the format whose decode has timed out and does not end.
        public static let refused = Code("refused")
    }

    /// What went wrong.
    public let code: Code

    /// The format that was recognised, where one was.
    public let format: ImageFormat?

    /// Free text for the log: what was found, what was expected.
    ///
    /// May hold a codec's own message.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, format: ImageFormat? = nil, detail: String) {
        self.code = code
        self.format = format
        self.detail = detail
    }
}

extension DecodeError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}
