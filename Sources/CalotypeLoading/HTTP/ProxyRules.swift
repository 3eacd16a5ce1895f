import CalotypeTransfer
import FoundationEssentials

/// The choice of the proxy for a request; pure.
struct ProxyRules: Sendable {
    private enum Way: Sendable {
        case through(HTTPDataLoader.Proxy)
        /// The environment variable of this name has an invalid value.
        case unknown(String)
    }

    private let always: HTTPDataLoader.Proxy?
    private var ways: [String: Way] = [:]
    private var exceptions: [String] = []

    /// Creates the rules of a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, whose ``HTTPDataLoader/Configuration/proxy`` has precedence over
    ///     the environment.
    ///   - environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, also in capitals except for
    ///     `http_proxy`: CGI servers set `HTTP_PROXY` from a request header.
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

    /// Returns the proxy for a request; `nil` for a direct connection.
    ///
    /// - Throws: ``FetchError/Code/connectionFailed`` if the environment names an invalid one: a direct
    ///   connection would violate the setting.
    func proxy(for address: HTTPAddress) throws(FetchError) -> HTTPDataLoader.Proxy? {
        if let always { return always }
        guard let way = ways[address.scheme], !isException(address) else { return nil }
        switch way {
        case .through(let proxy): return proxy
        case .unknown(let name):
            throw FetchError(
                .connectionFailed,
                detail:
                    "\(name): not a usable proxy; write http://host:port or socks5h://host:port"
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
    /// Parses a proxy in the form used in environment variables: `http://user:password@proxy.test:3128`,
    /// `proxy.test:3128`, `socks5h://proxy.test`.
    ///
    /// - Returns: `nil` for an unsupported proxy.
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
