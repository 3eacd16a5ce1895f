public import CalotypeCore

/// Why an image did not become bytes.
public struct EncodeError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line; never built from input.
        public let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// No encoder is registered for the format.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// The format cannot hold this image: a side is too long for it, or the setting does not exist in it.
        public static let unsupportedFeature = Code("unsupportedFeature")
        /// No quality makes the image small enough.
        public static let limitExceeded = Code("limitExceeded")
        /// There is no memory for the result.
        public static let outOfMemory = Code("outOfMemory")
        /// A frame of the animation that is to be encoded does not decode.
        public static let undecodableFrame = Code("undecodableFrame")
        /// The codec's library failed where it should not.
        public static let codecFailure = Code("codecFailure")
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
