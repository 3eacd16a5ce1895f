import CalotypeTransfer

extension HTTPDataLoader {
    /// A proxy that makes the loader's connections.
    ///
    /// For `https:` it opens a tunnel to each host (`CONNECT`), and cannot read the contents. For `http:` it
    /// receives each URL, as most proxies allow no tunnels to port 80; see ``tunnelsPlainHTTP``. A SOCKS
    /// proxy only makes connections.
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
        /// Whether to use tunnels for `http:` too; false unless set.
        public var tunnelsPlainHTTP = false
        private let kind: Kind

        private init(_ kind: Kind, _ host: String, _ port: Int) {
            precondition((1...65_535).contains(port), "a port lies between 1 and 65535")
            self.kind = kind
            self.host = host
            self.port = port
        }

        /// Creates an HTTP proxy, RFC 9110 sections 3.7 and 9.3.6.
        public static func http(host: String, port: Int) -> Proxy {
            Proxy(.openHTTP, host, port)
        }

        /// Creates an HTTP proxy that requires a password, by basic authentication.
        public static func http(host: String, port: Int, user: String, password: String) -> Proxy {
            Proxy(.http(user: user, password: password), host, port)
        }

        /// Creates a SOCKS 5 proxy, RFC 1928, without a password.
        public static func socks(host: String, port: Int = 1080) -> Proxy {
            Proxy(.socks, host, port)
        }

        /// The proxy in the form of the transfer client; a SOCKS proxy resolves host names itself.
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
