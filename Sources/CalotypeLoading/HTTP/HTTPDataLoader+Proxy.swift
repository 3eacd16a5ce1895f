import CalotypeTransfer

extension HTTPDataLoader {
    /// A proxy that makes the connections in the loader's place.
    ///
    /// It is asked for a tunnel to each host, for `http:` as well as `https:`, so that it need not be trusted
    /// with what goes through a tunnel under TLS.
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
        private let kind: Kind

        private init(_ kind: Kind, _ host: String, _ port: Int) {
            precondition((1...65_535).contains(port), "a port lies between 1 and 65535")
            self.kind = kind
            self.host = host
            self.port = port
        }

        /// A proxy that opens tunnels by `CONNECT`, RFC 9110 section 9.3.6.
        public static func http(host: String, port: Int) -> Proxy {
            Proxy(.openHTTP, host, port)
        }

        /// A proxy that opens tunnels by `CONNECT` for those who have a password, by basic authentication.
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
            case .openHTTP: return TransferProxy(url: "http://\(place)")
            case .http(let user, let password):
                return TransferProxy(url: "http://\(place)", credentials: "\(user):\(password)")
            case .socks: return TransferProxy(url: "socks5h://\(place)")
            }
        }
    }
}

extension HTTPDataLoader.Proxy: CustomStringConvertible {
    /// Host and port, never the password.
    public var description: String { "\(host):\(port)" }
}
