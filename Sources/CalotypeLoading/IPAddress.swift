import Glibc

/// An address of the Internet Protocol, without zone and port.
package enum IPAddress: Hashable, Sendable {
    /// The four bytes, the first one highest.
    case v4(UInt32)
    /// The sixteen bytes in two halves, the first one highest.
    case v6(high: UInt64, low: UInt64)

    /// Reads an address in any spelling that the system takes for one.
    ///
    /// IPv4 may be written with one to four numbers, each decimal, octal or hexadecimal; IPv6 with brackets
    /// and a zone, which is dropped.
    ///
    /// - Returns: `nil` where the text is a name.
    package init?(literal text: String) {
        var text = text[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        if text.contains(":") {
            text = text.prefix { $0 != "%" }
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
            self = withUnsafeBytes(of: address) { bytes in
                .v6(
                    high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
        } else {
            // The system's reader stops at a blank and takes what stands before it.
            guard text.utf8.allSatisfy({ $0 > 0x20 }) else { return nil }
            var address = in_addr()
            guard inet_aton(String(text), &address) != 0 else { return nil }
            self = .v4(UInt32(bigEndian: address.s_addr))
        }
    }
}
