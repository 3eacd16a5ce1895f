public import CalotypeCore
public import FoundationEssentials

/// Why a request did not become an image: which stage failed, and that stage's own error.
public struct LoadError: Error, Sendable {
    /// A step of the pipeline; open, so that a new one breaks nobody's `switch`.
    public struct Stage: Hashable, Sendable {
        /// A fixed word for metrics.
        public let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// Looking in the caches.
        public static let cache = Stage("cache")
        /// Getting the bytes.
        public static let load = Stage("load")
        /// Turning bytes into pixels.
        public static let decode = Stage("decode")
        /// Making other pixels of them.
        public static let transform = Stage("transform")
        /// Turning pixels into bytes.
        public static let encode = Stage("encode")
        /// Writing to a store.
        public static let store = Stage("store")
    }

    /// The step that failed.
    public let stage: Stage

    /// What went wrong, as the stage's own error: `FetchError`, `DecodeError`, `TransformError`,
    /// `EncodeError`, `DiskCacheError`, ``NotInCacheError``, or what a part of one's own throws.
    public let underlying: any Error

    /// The URL that was asked for, without user, password, query and fragment; `nil` for an error that no
    /// call has ended with.
    public internal(set) var address: String?

    /// What the request's alternatives failed with, in their order, each with its own ``address``; empty
    /// where there were none, and without those that were not asked because they had failed before.
    public internal(set) var alternativeFailures: [LoadError] = []

    /// The step that the work was in when the caller's time was up: `cache`, `queue`, `fetch`, `decode`,
    /// `transform` or `encode`; `nil` for all other errors.
    package internal(set) var awaitedStep: String?

    /// Whether the next load may end otherwise, though the bytes of this one were no image.
    var isPassing = false

    /// Whether already the header could not be read.
    var isOfHeader = false

    /// Creates an error of a stage.
    public init(stage: Stage, underlying: any Error) {
        self.stage = stage
        self.underlying = underlying
    }

    /// The fixed word of the underlying error's code; `other` for what a part of one's own throws.
    public var codeLabel: String { (underlying as? any CodedError)?.codeLabel ?? "other" }

    /// Whose fault it is; `nil` for what a part of one's own throws.
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

    /// The description: what `localizedDescription` gives.
    public var errorDescription: String? { description }
}

/// The image is in none of the caches, and the request forbids loading it.
public struct NotInCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// `notInCache: …`, on one line.
    public var description: String {
        "notInCache: the image is in no cache, and the request forbids loading it"
    }
}

extension NotInCacheError: CodedError {
    package var codeLabel: String { "notInCache" }

    /// Whoever asked.
    public var fault: Fault { .caller }
}
