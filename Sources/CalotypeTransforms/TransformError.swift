public import CalotypeCore

/// Why an image was not transformed.
public struct TransformError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String
        /// Whose fault it is.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// A property of the transform makes no sense: a size of zero, an angle that is no number.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// Nothing of the image would be left, as where a crop lies outside.
        public static let emptyResult = Code("emptyResult", .caller)
        /// The result would have more pixels than an image may have, or the chain too many steps.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// libvips was left out of this build (the package trait `Transforms`), or knows no such operation.
        public static let unsupportedFeature = Code("unsupportedFeature", .caller)
        /// There is no memory for the pixels.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// The library failed where it should not.
        public static let libraryFailure = Code("libraryFailure", .environment)
        /// The process that transformed ended, or broke a rule of its sandbox.
        public static let crashed = Code("crashed", .environment)
        /// It took longer than a worker may.
        public static let timedOut = Code("timedOut", .limit)
        /// It took more memory than a worker may have.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// There is no process to transform in.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        private static let all = [
            invalidParameter, emptyResult, limitExceeded, unsupportedFeature, outOfMemory, libraryFailure,
            crashed, timedOut, memoryExceeded, workerUnavailable,
        ]

        /// The code of a label; `nil` where there is none.
        package init?(label: String) {
            guard let code = Self.all.first(where: { $0.label == label }) else { return nil }
            self = code
        }
    }

    /// What went wrong.
    public let code: Code

    /// Free text for the log: what was asked for, and what is possible.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension TransformError: MemoryFailure {
    /// An error with the code `outOfMemory`.
    public static func outOfMemory(byteCount: Int) -> TransformError {
        TransformError(.outOfMemory, detail: "there is no memory for \(byteCount) bytes of pixels")
    }
}

extension TransformError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}

extension TransformError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}
