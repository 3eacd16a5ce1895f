import ArgumentParser
import Calotype
import CalotypeLoading

struct NetworkOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp(
            "Header field to send, “Name: value”; repeatable.",
            discussion: """
                It is sent to the given URLs; credentials are sent to their host only. Images loaded with a \
                field that can change the response are cached separately.
                """,
            valueName: "field"
        )
    )
    var headerTexts: [String] = []

    @Flag(
        help: "Revalidate stale cached images by HTTP rules (Cache-Control, ETag)."
    )
    var httpCache = false

    @Option(
        name: .customLong("retry"),
        parsing: .unconditional,
        help: "Number of retries after a transient failure, such as a lost connection."
    )
    var maxRetryCount = RetryPolicy().maxRetryCount

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Time limit for each image in seconds; default: 120.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("proxy")],
        help: ArgumentHelp(
            "Proxy: http://host:port or socks5h://host:port.",
            discussion: """
                “none” connects directly. Default: the variables http_proxy, https_proxy, all_proxy and \
                no_proxy.
                """,
            valueName: "url"
        )
    )
    var proxyText: String?

    @Option(
        name: .customLong("cacert"),
        help: "File of certificates (PEM) to trust in addition to the system's.",
        completion: .file()
    )
    var trustRootsPath: String?

    @Option(name: [.customShort("A", allowingJoined: true), .long], help: "User-Agent to send.")
    var userAgent: String?

    @Option(
        name: .customLong("per-host"),
        parsing: .unconditional,
        help: "Maximum concurrent loads from one host; default: 6."
    )
    var maxFetchConcurrencyPerHost: Int?

    func validate() throws {
        if let timeout {
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("--timeout must be 0 to 86400 seconds.")
            }
        }
        guard (0...100).contains(maxRetryCount) else { throw ValidationError("--retry must be 0...100.") }
        guard (1...1000).contains(maxFetchConcurrencyPerHost ?? 1) else {
            throw ValidationError("--per-host must be 1...1000.")
        }
        // Not parsed by the argument parser, whose errors repeat the value: it may be a secret.
        _ = try headers
        _ = try proxy
        if let userAgent {
            do {
                _ = try HeaderField(typed: "User-Agent: \(userAgent)")
            } catch {
                throw ValidationError("--user-agent must not contain line ends or other control characters.")
            }
        }
    }

    private var headers: [HeaderField] {
        get throws { try headerTexts.map(HeaderField.init(typed:)) }
    }

    private var proxy: ProxyArgument? {
        get throws {
            guard let proxyText else { return nil }
            guard let proxy = ProxyArgument(argument: proxyText) else {
                throw ValidationError(
                    "--proxy must be “none”, http://host:port or socks5h://host:port; percent-encode special "
                        + "characters of a user."
                )
            }
            return proxy
        }
    }

    /// Creates the loader; without `--proxy`, it uses the proxies of the environment, as `curl` does.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` if the certificates cannot be read.
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
        if let maxFetchConcurrencyPerHost {
            configuration.maxFetchConcurrencyPerHost = maxFetchConcurrencyPerHost
            configuration.maxFetchConcurrency = max(64, maxFetchConcurrencyPerHost)
        }
        return RoutingLoader.standard(configuration, retry: retryPolicy)
    }

    private var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.maxRetryCount = maxRetryCount
        return policy
    }

    /// Applies the options of a single request.
    ///
    /// - Throws: `ValidationError`.
    func apply(to request: inout ImageRequest) throws {
        request.headers = try headers
        request.httpCaching = httpCache ? .respectsHTTP : .ignoresHTTP
        request.timeout = timeout.map { .seconds($0) }
    }
}

/// A typed proxy: a URL, or `none`.
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
    /// Fields that the program sets itself: transfer coding, connection handling, and ranges and conditions.
    private static let reservedNames: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Parses a field `Name: value`; the value may be empty.
    ///
    /// The name is a token (RFC 9110 §5.6.2); the value has no control characters except tabs, and is trimmed
    /// (§5.5).
    ///
    /// - Throws: `ValidationError` with the reason.
    init(typed text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("--header must be “Name: value”: the colon is missing.")
        }
        let name = String(text[..<colon])
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
            throw ValidationError(
                "--header must be “Name: value”: use letters, digits and hyphens in the name."
            )
        }
        guard !Self.reservedNames.contains(name.lowercased()) else {
            throw ValidationError("--header must not contain “\(name)”, which the program sets itself.")
        }
        let value = text[text.index(after: colon)...].unicodeScalars
        guard value.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control }) else {
            throw ValidationError(
                "--header must be “Name: value”: remove line ends and other control characters."
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
    /// The text without leading and trailing blanks and tabs.
    fileprivate var trimmed: Substring {
        let head = drop { $0 == " " || $0 == "\t" }
        return head.prefix(head.count - head.reversed().prefix { $0 == " " || $0 == "\t" }.count)
    }
}
