public import CalotypeCore

/// The reason a URL of the service was rejected.
public struct RequestError: CodedError, Hashable {
    /// The kind of error; a struct, so that a new code breaks no `switch`.
    public struct Code: ErrorCode {
        /// A fixed word for metrics and problem documents; never built from input.
        public let label: String
        /// The responsible party.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault = .caller) {
            (self.label, self.fault) = (label, fault)
        }

        /// The path lacks parts that the grammar requires.
        public static let malformedPath = Code("malformedPath")
        /// The path exceeds a limit on bytes or parts.
        public static let pathTooLong = Code("pathTooLong", .limit)
        /// The grammar has no such option.
        public static let unknownOption = Code("unknownOption")
        /// The grammar has the option, but this service does not support it.
        public static let unsupportedOption = Code("unsupportedOption")
        /// URLs must not set the option.
        public static let forbiddenOption = Code("forbiddenOption")
        /// The option's arguments are invalid or out of range.
        public static let invalidOption = Code("invalidOption")
        /// The URL of the source cannot be parsed.
        public static let invalidSource = Code("invalidSource")
        /// The policy does not permit the source.
        public static let sourceNotAllowed = Code("sourceNotAllowed")
        /// No key produces this signature.
        public static let invalidSignature = Code("invalidSignature")
        /// The URL has expired.
        public static let expired = Code("expired")
        /// There is no encoder for the format.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// An upload lacks its token, or has another one.
        public static let invalidToken = Code("invalidToken")
        /// The body of an upload exceeds the limit.
        public static let bodyTooLarge = Code("bodyTooLarge", .limit)
    }

    /// The kind of error.
    public let code: Code

    /// The option with the error, as spelled in the URL: at most 32 characters of option names; `nil` if the
    /// error is not about an option.
    public let option: String?

    /// Text for the log; it holds no more than 100 characters of the URL.
    public let detail: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - option: The option with the error.
    ///   - detail: Text for the log.
    public init(_ code: Code, option: String? = nil, detail: String) {
        self.code = code
        self.option = option.map { name in
            String(name.unicodeScalars.filter(Self.isOfName).prefix(32).map(Character.init))
        }
        self.detail = String(detail.prefix(300))
    }

    private static func isOfName(_ character: Unicode.Scalar) -> Bool {
        character.isASCII
            && (character.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains(character))
    }
}

extension StringProtocol {
    /// The text for a log: quoted, cut to 100 characters, without control and bidirectional characters, and
    /// without a URL's query or user.
    var quoted: String {
        let bytes = bytes
        var path = LoggedPath(bytes)
        let end = path.end(atMost: 400)
        let isCut = end < Swift.min(bytes.count, 400)
        let shown = String(decoding: bytes[..<end], as: UTF8.self).unicodeScalars.prefix(100)
            .map { $0.value < 32 || !$0.isASCII ? "?" : Character($0) }
        return "“\(String(shown))\(isCut ? "…" : "")”"
    }
}
