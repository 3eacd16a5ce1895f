/// The reason why bytes could not be decoded into an image.
public struct DecodeError: CodedError, Hashable {
    /// The kind of failure; open, so that a new code breaks no `switch` of a client.
    public struct Code: ListedCode {
        /// A fixed label for metrics and the command line; never built from input.
        public let label: String
        /// The party responsible.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// No registered decoder recognizes the bytes.
        public static let unrecognizedFormat = Code("unrecognizedFormat", .input)
        /// The input has no bytes.
        public static let empty = Code("empty", .input)
        /// The input ends before the image is complete.
        public static let truncated = Code("truncated", .input)
        /// The bytes violate their format.
        public static let corrupt = Code("corrupt", .input)
        /// Decoding would exceed `DecodeLimits`.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// The format is known, but this feature of it is not supported.
        public static let unsupportedFeature = Code("unsupportedFeature", .environment)
        /// The options are invalid: a box smaller than a pixel, or a frame that does not exist.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// Not enough memory for the pixels.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// Decoding exceeded `DecodeLimits.maxDuration`.
        public static let timedOut = Code("timedOut", .limit)
        /// No task waited for the image any more; a caller that awaits a decode gets `CancellationError`
        /// instead.
        public static let cancelled = Code("cancelled", .caller)
        /// Too many threads are held by decodes of the format that timed out and are still running.
        public static let refused = Code("refused", .limit)
        /// The decoding process crashed or broke a rule of its sandbox: the bytes are damaged or hostile.
        public static let crashed = Code("crashed", .input)
        /// The decode exceeded the memory limit of a worker.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// No worker process is available.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        package static let all = [
            unrecognizedFormat, empty, truncated, corrupt, limitExceeded, unsupportedFeature,
            invalidParameter, outOfMemory, timedOut, cancelled, refused, crashed, memoryExceeded,
            workerUnavailable,
        ]
    }

    /// The kind of failure.
    public let code: Code

    /// The recognised format, if any.
    public let format: ImageFormat?

    /// True if there was no memory, or no worker.
    public var isRetryable: Bool { code == .outOfMemory || code == .workerUnavailable }

    /// Free text for the log: the expected and the actual state.
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
