public import CalotypeCore
public import FoundationEssentials

/// The failure of a request: the stage that failed, and that stage's own error.
public struct LoadError: Error, Sendable {
    /// A stage of the pipeline; open, so that a new one breaks no `switch`.
    public struct Stage: Hashable, Sendable {
        /// A fixed word for metrics.
        public let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// Querying the caches.
        public static let cache = Stage("cache")
        /// Loading the bytes.
        public static let load = Stage("load")
        /// Decoding bytes into pixels.
        public static let decode = Stage("decode")
        /// Transforming pixels.
        public static let transform = Stage("transform")
        /// Encoding pixels into bytes.
        public static let encode = Stage("encode")
        /// Writing to a store.
        public static let store = Stage("store")
    }

    /// The stage that failed.
    public let stage: Stage

    /// The stage's own error: `FetchError`, `DecodeError`, `TransformError`, `EncodeError`, `DiskCacheError`,
    /// ``NotInCacheError``, or an error of a custom component.
    public let underlying: any Error

    /// The requested URL, without user, password, query and fragment; `nil` for an error that no call has
    /// thrown.
    public internal(set) var address: String?

    /// The failures of the request's alternatives, in their order, each with its own ``address``.
    ///
    /// Empty without alternatives. Alternatives that were skipped because of earlier failures are not
    /// included.
    public internal(set) var alternativeFailures: [LoadError] = []

    /// The step of the work when the caller's time was up: `cache`, `queue`, `fetch`, `decode`, `transform`
    /// or `encode`; `nil` for all other errors.
    package internal(set) var awaitedStep: String?

    /// True if the next load may succeed, although the bytes of this one were not an image.
    var isPassing = false

    /// True if reading the header failed already.
    var isOfHeader = false

    /// Creates an error of a stage.
    public init(stage: Stage, underlying: any Error) {
        self.stage = stage
        self.underlying = underlying
    }

    /// The fixed word of the underlying error's code; `other` for errors of custom components.
    public var codeLabel: String { (underlying as? any CodedError)?.code.label ?? "other" }

    /// The responsible party; `nil` for errors of custom components.
    public var fault: Fault? { (underlying as? any CodedError)?.fault }
}

extension LoadError: CustomStringConvertible, LocalizedError {
    /// `code: detail`, on one line.
    package var reason: String {
        codeLabel == "other" ? "other: \(underlying)" : "\(underlying)"
    }

    /// `code: detail (stage of URL)`, on one line, without secrets.
    public var description: String {
        "\(reason) (\(stage.label)\(address.map { " of \($0)" } ?? ""))"
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}

/// The error for an image that is not in a cache and must not be loaded.
public struct NotInCacheError: CodedError, Hashable {
    /// The only code of the error.
    public struct Code: ErrorCode {
        /// Always `notInCache`.
        public var label: String { "notInCache" }
        /// Always `Fault.caller`.
        public var fault: Fault { .caller }
    }

    /// The only code.
    public var code: Code { Code() }

    /// Text for the log.
    public var detail: String { "the image is not in a cache, and the request does not allow loading it" }

    /// Creates the error.
    public init() {}
}
