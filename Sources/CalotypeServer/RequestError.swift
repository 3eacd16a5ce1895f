public import CalotypeCore

/// Why a URL of the service asks for nothing that can be given.
public struct RequestError: Error, Hashable, Sendable {
    /// What is wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and problem documents; never built from input.
        public let label: String
        /// Whose fault it is.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault = .caller) {
            (self.label, self.fault) = (label, fault)
        }

        /// The path has not the parts that the grammar wants.
        public static let malformedPath = Code("malformedPath")
        /// The path has more bytes or parts than are read.
        public static let pathTooLong = Code("pathTooLong", .limit)
        /// The grammar has no such option.
        public static let unknownOption = Code("unknownOption")
        /// The grammar has the option, and this service does not.
        public static let unsupportedOption = Code("unsupportedOption")
        /// The option may not be set by a URL.
        public static let forbiddenOption = Code("forbiddenOption")
        /// The option's arguments are wrong, or beyond their range.
        public static let invalidOption = Code("invalidOption")
        /// The URL of the picture cannot be understood.
        public static let invalidSource = Code("invalidSource")
        /// The policy does not permit the URL of the picture.
        public static let sourceNotAllowed = Code("sourceNotAllowed")
        /// No key gives this signature.
        public static let invalidSignature = Code("invalidSignature")
        /// The URL was good until a time that has passed.
        public static let expired = Code("expired")
        /// No encoder makes the format.
        public static let unsupportedFormat = Code("unsupportedFormat")
    }

    /// What is wrong.
    public let code: Code

    /// The option that it is wrong with, as the URL spells it: at most 32 of the characters that names have;
    /// `nil` where it is none.
    public let option: String?

    /// Free text for the log; holds no more than 100 characters of the URL.
    public let detail: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - option: The option that it is wrong with.
    ///   - detail: Free text for the log.
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

extension RequestError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}

extension RequestError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}

extension StringProtocol {
    /// The text for a log: in quotes, 100 characters of it, without those that end lines or turn them around,
    /// and without what follows a query or a user of a URL.
    var quoted: String {
        let bytes = Array(utf8)
        var path = LoggedPath(bytes)
        let end = path.end(atMost: 400)
        let isCut = end < Swift.min(bytes.count, 400)
        let shown = String(decoding: bytes[..<end], as: UTF8.self).unicodeScalars.prefix(100)
            .map { $0.value < 32 || !$0.isASCII ? "?" : Character($0) }
        return "“\(String(shown))\(isCut ? "…" : "")”"
    }
}
