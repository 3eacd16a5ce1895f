import ArgumentParser
import Calotype
import CalotypeLoading

/// How a command asks other machines.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp(
            "A header field to send, “Name: value”; may be given several times.",
            discussion: """
                It goes to the URLs given; credentials go no further than their host. What is loaded with a \
                field that can change the answer is kept apart in the caches.
                """,
            valueName: "field"
        )
    )
    var headerTexts: [String] = []

    @Flag(
        help: "Ask again once what is cached is stale by HTTP (Cache-Control, ETag); else it is used as is."
    )
    var httpCache = false

    @Option(
        name: .customLong("retry"),
        parsing: .unconditional,
        help: "How often a load is tried again that fails for a passing reason, such as a lost connection."
    )
    var retryCountMax = RetryPolicy().retryCountMax

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long each image may take, everything included; 120 unless given.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("proxy")],
        help: ArgumentHelp(
            "The proxy that everything goes through: http://host:port or socks5h://host:port.",
            discussion: """
                “none” goes straight to each host. Unless given, http_proxy, https_proxy, all_proxy and \
                no_proxy say it.
                """,
            valueName: "url"
        )
    )
    var proxyText: String?

    @Option(
        name: .customLong("cacert"),
        help: "A file of certificates (PEM) to trust beside the system's.",
        completion: .file()
    )
    var trustRootsPath: String?

    @Option(name: [.customShort("A", allowingJoined: true), .long], help: "What to say as User-Agent.")
    var userAgent: String?

    @Option(
        name: .customLong("per-host"),
        parsing: .unconditional,
        help: "How many images are loaded at once from one host; 6 unless given."
    )
    var fetchConcurrencyPerHostMax: Int?

    func validate() throws {
        if let timeout {
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("--timeout is 0 to 86400 seconds.")
            }
        }
        guard (0...100).contains(retryCountMax) else { throw ValidationError("--retry is 0...100.") }
        guard (1...1000).contains(fetchConcurrencyPerHostMax ?? 1) else {
            throw ValidationError("--per-host is 1...1000.")
        }
        // Not by the parser, whose errors repeat the value: it may be a secret.
        _ = try headers
        _ = try proxy
        if let userAgent {
            do {
                _ = try HeaderField(typed: "User-Agent: \(userAgent)")
            } catch {
                throw ValidationError("--user-agent has no line ends and no other control characters.")
            }
        }
    }

    /// The header fields to send.
    private var headers: [HeaderField] {
        get throws { try headerTexts.map(HeaderField.init(typed:)) }
    }

    private var proxy: ProxyArgument? {
        get throws {
            guard let proxyText else { return nil }
            guard let proxy = ProxyArgument(argument: proxyText) else {
                throw ValidationError(
                    "--proxy is “none”, http://host:port or socks5h://host:port; a user’s special "
                        + "characters are percent-encoded."
                )
            }
            return proxy
        }
    }

    /// What gets the bytes; through the proxy that the environment names where no other is, as people expect
    /// of `curl`.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` where the certificates cannot be read.
    func loader() throws -> RoutingLoader {
        var configuration = HTTPDataLoader.Configuration()
        switch try proxy {
        case .through(let proxy)?: configuration.proxy = proxy
        case .straight?: break
        case nil: configuration.usesEnvironmentProxies = true
        }
        if let trustRootsPath {
            configuration.additionalTrustRoots = [try HTTPDataLoader.TrustRoots(file: trustRootsPath)]
        }
        if let userAgent { configuration.userAgent = userAgent }
        if let fetchConcurrencyPerHostMax {
            configuration.fetchConcurrencyPerHostMax = fetchConcurrencyPerHostMax
            configuration.fetchConcurrencyMax = max(64, fetchConcurrencyPerHostMax)
        }
        return RoutingLoader.standard(configuration, retry: retryPolicy)
    }

    private var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.retryCountMax = retryCountMax
        return policy
    }

    /// Sets what concerns one request.
    ///
    /// - Throws: `ValidationError`.
    func apply(to request: inout ImageRequest) throws {
        request.headers = try headers
        request.httpCaching = httpCache ? .respectsHTTP : .ignoresHTTP
        request.timeout = timeout.map { .seconds($0) }
    }
}

/// A proxy as it is typed: its URL, or that there is to be none.
enum ProxyArgument: ExpressibleByArgument {
    case through(HTTPDataLoader.Proxy)
    case straight

    init?(argument: String) {
        if argument == "none" {
            self = .straight
        } else if let proxy = HTTPDataLoader.Proxy(argument) {
            self = .through(proxy)
        } else {
            return nil
        }
    }
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
            throw ValidationError("--header is “Name: value”: there is no colon.")
        }
        let name = String(text[..<colon])
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
            throw ValidationError(
                "--header is “Name: value”: a name has letters, digits and hyphens only, before a colon."
            )
        }
        guard !Self.reservedNames.contains(name.lowercased()) else {
            throw ValidationError("--header: the field “\(name)” is set by the program itself.")
        }
        let value = text[text.index(after: colon)...].unicodeScalars
        guard value.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control }) else {
            throw ValidationError(
                "--header is “Name: value”: a value has no line ends and no other control characters."
            )
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
