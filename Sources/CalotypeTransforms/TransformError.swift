public import CalotypeCore

/// The reason why an image could not be transformed.
public struct TransformError: CodedError, Hashable {
    /// The kind of failure; open, so that a new code breaks no `switch` of a client.
    public struct Code: ListedCode {
        /// A fixed label for metrics and the command line; never built from input.
        public let label: String
        /// The party responsible.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// A property of the transform is invalid: a size of zero, an angle that is not finite.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// The result would be empty, as for a crop outside the image.
        public static let emptyResult = Code("emptyResult", .caller)
        /// The result would exceed the maximum size of an image, or the chain has too many steps.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// libvips was left out of this build (the package trait `Transforms`), or lacks an operation.
        public static let unsupportedFeature = Code("unsupportedFeature", .environment)
        /// Not enough memory for the pixels.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// An unexpected failure of the library.
        public static let libraryFailure = Code("libraryFailure", .environment)
        /// The worker process crashed, or broke a rule of its sandbox.
        public static let crashed = Code("crashed", .environment)
        /// The transform exceeded the time limit of a worker.
        public static let timedOut = Code("timedOut", .limit)
        /// The transform exceeded the memory limit of a worker.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// No worker process is available.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        package static let all = [
            invalidParameter, emptyResult, limitExceeded, unsupportedFeature, outOfMemory, libraryFailure,
            crashed, timedOut, memoryExceeded, workerUnavailable,
        ]
    }

    /// The kind of failure.
    public let code: Code

    /// True if there was no memory, or no worker.
    public var isRetryable: Bool { code == .outOfMemory || code == .workerUnavailable }

    /// Free text for the log: the received and the allowed value.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension TransformError: MemoryFailure {
    /// Returns an error with the code `outOfMemory`.
    public static func outOfMemory(byteCount: Int) -> TransformError {
        TransformError(.outOfMemory, detail: "not enough memory for \(byteCount) bytes of pixels")
    }
}
