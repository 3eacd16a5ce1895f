public import CalotypeCore

/// Why an image did not become bytes.
public struct EncodeError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String
        /// Whose fault it is.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// No encoder is registered for the format.
        public static let unsupportedFormat = Code("unsupportedFormat", .caller)
        /// The format cannot hold this image: a side is too long for it, or the setting does not exist in it.
        public static let unsupportedFeature = Code("unsupportedFeature", .caller)
        /// A setting is beyond its range, or a box has no room for a pixel.
        public static let invalidParameter = Code("invalidParameter", .caller)
        /// No quality makes the image small enough.
        public static let limitExceeded = Code("limitExceeded", .limit)
        /// There is no memory for the result.
        public static let outOfMemory = Code("outOfMemory", .environment)
        /// A frame of the animation that is to be encoded does not decode.
        public static let undecodableFrame = Code("undecodableFrame", .input)
        /// The codec's library failed where it should not.
        public static let codecFailure = Code("codecFailure", .environment)
        /// The process that encoded ended, or broke a rule of its sandbox.
        public static let crashed = Code("crashed", .environment)
        /// Encoding took longer than a worker may.
        public static let timedOut = Code("timedOut", .limit)
        /// Encoding took more memory than a worker may have.
        public static let memoryExceeded = Code("memoryExceeded", .limit)
        /// There is no process to encode in.
        public static let workerUnavailable = Code("workerUnavailable", .environment)

        private static let all = [
            unsupportedFormat, unsupportedFeature, invalidParameter, limitExceeded, outOfMemory,
            undecodableFrame, codecFailure, crashed, timedOut, memoryExceeded, workerUnavailable,
        ]

        /// The code of a label; `nil` where there is none.
        package init?(label: String) {
            guard let code = Self.all.first(where: { $0.label == label }) else { return nil }
            self = code
        }
    }

    /// What went wrong.
    public let code: Code

    /// The format that was asked for.
    public let format: ImageFormat

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

extension EncodeError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}

extension EncodeError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}

extension EncodeError {
    /// Refuses a setting that is beyond its range.
    static func check(
        _ value: Int,
        in range: ClosedRange<Int>,
        _ name: String,
        _ format: ImageFormat
    ) throws(EncodeError) {
        guard !range.contains(value) else { return }
        let bounds = "\(range.lowerBound)...\(range.upperBound)"
        throw EncodeError(.invalidParameter, format: format, detail: "\(name) is in \(bounds), not \(value)")
    }
}
