import CalotypeTransfer

/// Returns the host of an `http:` or `https:` address in canonical form: ASCII in lower case, IPv4 addresses
/// in four decimal parts, IPv6 addresses compressed (URL Standard §3.5).
///
/// - Parameter text: The host as written, an IPv6 address in its brackets.
/// - Returns: `nil` if it is empty or not a host.
package func normalizedHost(_ text: ArraySlice<UInt8>) -> String? {
    if text.first == UInt8(ascii: "[") { return ipv6Host(text) }
    guard let host = String(validating: percentDecoded(text), as: UTF8.self), !host.isEmpty,
        !host.utf8.contains(where: isForbiddenInHost)
    else { return nil }
    let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
    guard let name = isASCII ? host.lowercased() : asciiHost(host)?.lowercased(), !name.isEmpty,
        !name.utf8.contains(where: { $0 >= 0x80 || isForbiddenInHost($0) })
    else { return nil }
    // A name that begins with a digit may be another spelling of an address.
    guard name.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false else { return name }
    return IPAddress(literal: name)?.urlText ?? name
}

private func ipv6Host(_ text: ArraySlice<UInt8>) -> String? {
    // A zone identifier has no meaning on other machines.
    guard text.last == UInt8(ascii: "]"), text.contains(UInt8(ascii: ":")),
        !text.contains(UInt8(ascii: "%"))
    else { return nil }
    return IPAddress(literal: String(decoding: text, as: UTF8.self))?.urlText
}

/// Returns whether an ASCII byte is forbidden in a host once escapes are decoded: all but letters, digits and
/// `-._~`, as in curl.
private func isForbiddenInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: false
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): false
    default: true
    }
}
