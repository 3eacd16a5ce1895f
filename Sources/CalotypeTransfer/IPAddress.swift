package import CalotypeSupport

/// An IP address, without zone and port.
package enum IPAddress: Hashable, Sendable {
    /// The four bytes, in big-endian order.
    case v4(UInt32)
    /// The sixteen bytes in two halves, in big-endian order.
    case v6(high: UInt64, low: UInt64)

    /// Parses an address in any spelling that the system accepts.
    ///
    /// IPv4 may be written as one to four numbers, each decimal, octal or hexadecimal; IPv6 with brackets and
    /// a zone, which is dropped.
    ///
    /// - Returns: `nil` if the text is a name.
    package init?(literal text: String) {
        var text = text[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        if text.contains(":") {
            text = text.prefix { $0 != "%" }
            var address = in6_addr()
            guard unsafe inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
            self.init(address)
        } else {
            // The system's parser stops at a blank and accepts the text before it.
            guard text.utf8.allSatisfy({ $0 > 0x20 }) else { return nil }
            var address = in_addr()
            guard unsafe inet_aton(String(text), &address) != 0 else { return nil }
            self = .v4(UInt32(bigEndian: address.s_addr))
        }
    }
}

extension IPAddress {
    /// Converts a socket address; `nil` for other protocols.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let bits = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            self = .v4(UInt32(bigEndian: bits))
        case AF_INET6:
            let bytes = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes)
        default:
            return nil
        }
    }

    private init(_ address: in6_addr) {
        self = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe .v6(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The address as in a URL: four numbers with dots, or the compressed form in brackets (RFC 5952).
    package var urlText: String {
        switch self {
        case .v4(let bits):
            return stride(from: 24, through: 0, by: -8).map { "\(bits >> UInt32($0) & 0xFF)" }
                .joined(separator: ".")
        case .v6(let high, let low):
            var bytes = (high.bigEndian, low.bigEndian)
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            // The buffer has the length of the longest address.
            _ = unsafe inet_ntop(AF_INET6, &bytes, &text, socklen_t(INET6_ADDRSTRLEN))
            let ascii = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
            return "[" + String(decoding: ascii, as: UTF8.self) + "]"
        }
    }
}
