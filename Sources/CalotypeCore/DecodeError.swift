/// Why bytes did not become an image.
public struct DecodeError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String
        /// Whose fault it is.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// No registered decoder knows the bytes.
        public static let unrecognizedFormat = Code("unrecognizedFormat", .input)
        /// There are no bytes.
        public static let empty = Code("empty", .input)
        /// The input ends before the image does.
        public static let truncated = Code("truncated", .input)
        /// The bytes break the rules of their format.
        public static let corrupt = Code("corrupt", .input)
        /// Decoding would cost more than `DecodeLimits` allow.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// The format is known, but not this feature of it.
        public static let unsupportedFeature = Code("unsupportedFeature", .environment)
        /// The options ask for what no image can be: a box without room for a pixel, a frame that is not
        /// there.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// There is no memory for the pixels.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// Decoding took longer than `DecodeLimits.durationMax`.
        public static let timedOut = Code("timedOut", .limit)
        /// Nobody waited for the image any more; whoever awaits a decode gets `CancellationError` instead.
        public static let cancelled = Code("cancelled", .caller)
        /// Too many threads are held by files of the format whose decode has timed out and does not end.
        public static let refused = Code("refused", .limit)
        /// The process that decoded ended, or broke a rule of its sandbox: the bytes are damaged, or hostile.
        public static let crashed = Code("crashed", .input)
        /// The decode took more memory than a worker may have.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// There is no process to decode in.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        private static let all = [
            unrecognizedFormat, empty, truncated, corrupt, limitExceeded, unsupportedFeature,
            invalidParameter, outOfMemory, timedOut, cancelled, refused, crashed, memoryExceeded,
            workerUnavailable,
        ]

        /// The code of a label; `nil` where there is none.
        package init?(label: String) {
            guard let code = Self.all.first(where: { $0.label == label }) else { return nil }
            self = code
        }
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

extension DecodeError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}
