import CalotypeTransfer

extension HTTPDataLoader {
    /// A proxy that makes the connections in the loader's place.
    ///
    /// For `https:` it is asked for a tunnel to each host (`CONNECT`), and need not be trusted with what goes
    /// through it. For `http:` it is asked for each URL, as most proxies allow no tunnels to port 80; see
    /// ``tunnelsPlainHTTP``. A SOCKS proxy only makes connections.
    public struct Proxy: Hashable, Sendable {
        private enum Kind: Hashable {
            case http(user: String, password: String)
            case openHTTP
            case socks
        }

        /// The name or address of the proxy.
        public let host: String
        /// The port of the proxy.
        public let port: Int
        /// Whether tunnels are asked for `http:` as well; no unless set.
        public var tunnelsPlainHTTP = false
        private let kind: Kind

        private init(_ kind: Kind, _ host: String, _ port: Int) {
            precondition((1...65_535).contains(port), "a port lies between 1 and 65535")
            self.kind = kind
            self.host = host
            self.port = port
        }

        /// A proxy for HTTP, RFC 9110 sections 3.7 and 9.3.6.
        public static func http(host: String, port: Int) -> Proxy {
            Proxy(.openHTTP, host, port)
        }

        /// A proxy for HTTP that asks for a password, by basic authentication.
        public static func http(host: String, port: Int, user: String, password: String) -> Proxy {
            Proxy(.http(user: user, password: password), host, port)
        }

        /// A SOCKS 5 proxy, RFC 1928, without a password.
        public static func socks(host: String, port: Int = 1080) -> Proxy {
            Proxy(.socks, host, port)
        }

        /// The proxy as the client takes it; a SOCKS proxy is told the name, and looks it up.
        var transferProxy: TransferProxy {
            let place = host.contains(":") && host.first != "[" ? "[\(host)]:\(port)" : "\(host):\(port)"
            switch kind {
            case .openHTTP:
                return TransferProxy(url: "http://\(place)", tunnelsPlainHTTP: tunnelsPlainHTTP)
            case .http(let user, let password):
                return TransferProxy(
                    url: "http://\(place)",
                    credentials: "\(user):\(password)",
                    tunnelsPlainHTTP: tunnelsPlainHTTP
                )
            case .socks: return TransferProxy(url: "socks5h://\(place)")
            }
        }
    }
}

extension HTTPDataLoader.Proxy: CustomStringConvertible {
    /// Host and port, never the password.
    public var description: String { "\(host):\(port)" }
}
