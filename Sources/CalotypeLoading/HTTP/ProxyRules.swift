import CalotypeTransfer
import FoundationEssentials

/// Which proxy a request goes through; pure.
struct ProxyRules: Sendable {
    private enum Way: Sendable {
        case through(HTTPDataLoader.Proxy)
        /// The setting of that name says something that cannot be understood.
        case unknown(String)
    }

    private let always: HTTPDataLoader.Proxy?
    private var ways: [String: Way] = [:]
    private var exceptions: [String] = []

    /// The rules of a configuration.
    ///
    /// - Parameters:
    ///   - configuration: Its ``HTTPDataLoader/Configuration/proxy`` goes before the environment.
    ///   - environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, each also in capitals but
    ///     for `http_proxy`: servers that run programs by CGI set `HTTP_PROXY` to what a visitor likes.
    init(_ configuration: HTTPDataLoader.Configuration, environment: [String: String]) {
        always = configuration.proxy
        guard always == nil, configuration.usesEnvironmentProxies, configuration.addressPolicy == .any,
            configuration.unixSocketPath == nil
        else { return }
        func value(_ names: String...) -> (name: String, text: String)? {
            names.lazy.compactMap { name in
                environment[name].flatMap { $0.isEmpty ? nil : (name, $0) }
            }.first
        }
        let settings = [
            "http": value("http_proxy", "all_proxy", "ALL_PROXY"),
            "https": value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
        ]
        for (scheme, setting) in settings {
            guard let setting else { continue }
            ways[scheme] = HTTPDataLoader.Proxy(setting.text).map { .through($0) } ?? .unknown(setting.name)
        }
        let text = value("no_proxy", "NO_PROXY")?.text ?? ""
        exceptions = text.split { ", \t".contains($0) }.map { $0.lowercased() }
    }

    /// The proxy for a request; `nil` where it goes straight to its host.
    ///
    /// - Throws: ``FetchError/Code/connectionFailed`` where the environment names one that cannot be used: to
    ///   go without it is not what was asked for.
    func proxy(for address: HTTPAddress) throws(FetchError) -> HTTPDataLoader.Proxy? {
        if let always { return always }
        guard let way = ways[address.scheme], !isException(address) else { return nil }
        switch way {
        case .through(let proxy): return proxy
        case .unknown(let name):
            throw FetchError(
                .connectionFailed,
                detail:
                    "\(name) names no proxy that can be used; write http://host:port or socks5h://host:port"
            )
        }
    }

    private func isException(_ address: HTTPAddress) -> Bool {
        let host = address.host.lowercased()
        return exceptions.contains { exception in
            if exception == "*" { return true }
            if let literal = IPAddress(literal: host) {
                return AddressRange(exception)?.contains(literal) ?? false
            }
            let name = exception.drop { $0 == "." || $0 == "*" }
            return host == name || host.hasSuffix(".\(name)") || "\(host):\(address.port)" == name
        }
    }
}

extension HTTPDataLoader.Proxy {
    /// Reads a proxy as programs find it in their environment: `http://user:password@proxy.test:3128`,
    /// `proxy.test:3128`, `socks5h://proxy.test`.
    ///
    /// - Returns: `nil` where it is none that can be used.
    public init?(_ text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)") else { return nil }
        guard var host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
        if host.first == "[", host.last == "]" { host = String(host.dropFirst().dropLast()) }
        let user = url.user(percentEncoded: false)
        guard (1...65_535).contains(url.port ?? 1080) else { return nil }
        switch (url.scheme?.lowercased(), user) {
        case ("http", nil): self = .http(host: host, port: url.port ?? 1080)
        case ("http", let user?):
            let password = url.password(percentEncoded: false) ?? ""
            self = .http(host: host, port: url.port ?? 1080, user: user, password: password)
        case ("socks5", nil), ("socks5h", nil), ("socks", nil):
            self = .socks(host: host, port: url.port ?? 1080)
        default: return nil
        }
    }
}
