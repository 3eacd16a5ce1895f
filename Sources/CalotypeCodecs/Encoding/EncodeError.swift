public import CalotypeCore

/// The reason why an image could not be encoded.
public struct EncodeError: CodedError, Hashable {
    /// The kind of failure; open, so that a new code breaks no `switch` of a client.
    public struct Code: ListedCode {
        /// A fixed label for metrics and the command line; never built from input.
        public let label: String
        /// The party responsible.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// No encoder is registered for the format.
        public static let unsupportedFormat = Code("unsupportedFormat", .caller)
        /// The format cannot hold this image: a side is too long, or the format lacks the setting.
        public static let unsupportedFeature = Code("unsupportedFeature", .caller)
        /// A setting is out of range, or a box is smaller than a pixel.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// The result exceeds the size limit even at the lowest quality.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// Not enough memory for the result.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// A frame of the animation cannot be decoded.
        public static let undecodableFrame = Code("undecodableFrame", .input)
        /// An unexpected failure of the codec's library.
        public static let codecFailure = Code("codecFailure", .environment)
        /// The worker process crashed, or broke a rule of its sandbox.
        public static let crashed = Code("crashed", .environment)
        /// Encoding exceeded the time limit of a worker.
        public static let timedOut = Code("timedOut", .limit)
        /// Encoding exceeded the memory limit of a worker.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// No worker process is available.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        package static let all = [
            unsupportedFormat, unsupportedFeature, invalidParameter, limitExceeded, outOfMemory,
            undecodableFrame, codecFailure, crashed, timedOut, memoryExceeded, workerUnavailable,
        ]
    }

    /// The kind of failure.
    public let code: Code

    /// The requested format.
    public let format: ImageFormat

    /// True if there was no memory, or no worker.
    public var isRetryable: Bool { code == .outOfMemory || code == .workerUnavailable }

    /// Free text for the log.
    ///
    /// May hold a codec's own message.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, format: ImageFormat, detail: String) {
        self.code = code
        self.format = format
        self.detail = detail
    }
}

extension EncodeError {
    /// Rejects an image with a side that the format cannot hold; `name` is the format with its article.
    static func checkSides(
        of image: Image,
        atMost maxSide: some BinaryInteger,
        in name: String,
        _ format: ImageFormat
    ) throws(EncodeError) {
        guard max(image.size.width, image.size.height) > maxSide else { return }
        let detail = "\(image.size) pixels; a side of \(name) has at most \(maxSide)"
        throw EncodeError(.unsupportedFeature, format: format, detail: detail)
    }

    /// Rejects a setting that is out of range.
    static func check(
        _ value: Int,
        in range: ClosedRange<Int>,
        _ name: String,
        _ format: ImageFormat
    ) throws(EncodeError) {
        guard !range.contains(value) else { return }
        let bounds = "\(range.lowerBound)...\(range.upperBound)"
        throw EncodeError(.invalidParameter, format: format, detail: "\(name) \(value) is not in \(bounds)")
    }
}
