import ArgumentParser
import CalotypeLoading

/// How a command asks other machines.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "A header field to send, “Name: value”; may be given several times.",
            discussion: """
                It goes to the URLs given; credentials go no further than their host. What is loaded with a \
                field that can change the answer is kept apart in the caches.
                """,
            valueName: "field"
        ),
        transform: HeaderField.init(typed:)
    )
    var headers: [HeaderField] = []

    @Flag(
        help: "Ask again once what is cached is stale by HTTP (Cache-Control, ETag); else it is used as is."
    )
    var httpCache = false

    @Option(
        name: .customLong("retry"),
        help: "How often a load is tried again that fails for a passing reason, such as a lost connection."
    )
    var retryCountMax = RetryPolicy().retryCountMax

    @Option(
        help: ArgumentHelp(
            "How long each image may take, everything included; 120 unless given.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    func validate() throws {
        if let timeout {
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("--timeout is 0 to 86400 seconds.")
            }
        }
        guard (0...100).contains(retryCountMax) else { throw ValidationError("--retry is 0...100.") }
    }

    /// When a load is tried again.
    var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.retryCountMax = retryCountMax
        return policy
    }

    /// What HTTP's freshness counts for.
    var httpCaching: HTTPCaching { httpCache ? .respectsHTTP : .ignoresHTTP }
}

extension HeaderField {
    /// Fields that the program itself decides: how a body comes, how the connection is used, and which part
    /// of an image is asked for under which condition.
    private static let reservedNames: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// The field that a person types as `Name: value`; the value may be empty.
    ///
    /// The name is a token (RFC 9110 §5.6.2); the value has no control characters but tabs, and loses the
    /// white space around it (§5.5).
    ///
    /// - Throws: `ValidationError` that says what is wrong.
    init(typed text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("a header field is “Name: value”.")
        }
        let name = String(text[..<colon])
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
            throw ValidationError(
                "a field's name has letters, digits and hyphens only, and a colon behind it."
            )
        }
        guard !Self.reservedNames.contains(name.lowercased()) else {
            throw ValidationError("the field “\(name)” is set by the program itself.")
        }
        let value = text[text.index(after: colon)...].unicodeScalars
        guard value.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control }) else {
            throw ValidationError("a field's value has no line ends and no other control characters.")
        }
        self.init(name, String(Substring(value).trimmed))
    }
}

extension UInt8 {
    /// Whether it may be part of a token (RFC 9110 §5.6.2).
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension Substring {
    /// The text without the blanks and tabs around it.
    fileprivate var trimmed: Substring {
        let head = drop { $0 == " " || $0 == "\t" }
        return head.prefix(head.count - head.reversed().prefix { $0 == " " || $0 == "\t" }.count)
    }
}
