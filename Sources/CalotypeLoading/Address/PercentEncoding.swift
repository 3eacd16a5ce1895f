/// A component of an address, with its allowed characters (RFC 3986 §3).
package enum AddressComponent: Sendable {
    case user
    case path
    case query

    /// Returns whether a byte may appear unescaped in the component.
    func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // Unreserved: - . _ ~; sub-delims: ! $ & ' ( ) * + , ; =
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
        case UInt8(ascii: ":"): true
        case UInt8(ascii: "@"), UInt8(ascii: "/"): self != .user
        case UInt8(ascii: "?"): self == .query
        default: false
        }
    }
}

/// Returns the component with each forbidden byte escaped; existing escapes are unchanged.
///
/// A `%` without two hexadecimal digits is a literal and is escaped.
///
/// - Parameters:
///   - text: The component as written, without its leading delimiter.
///   - component: The kind of component.
///   - keepsEscapes: Whether `%` and two digits are an escape; if not, as in a file name, each `%` is
///     escaped.
/// - Returns: ASCII text of characters that RFC 3986 allows there.
package func percentEncoded(
    _ text: some Collection<UInt8>,
    as component: AddressComponent,
    keepsEscapes: Bool = true
) -> String {
    let bytes = text.withContiguousStorageIfAvailable { Array($0) } ?? Array(text)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
        let isEscape = keepsEscapes && byte == UInt8(ascii: "%") && beginsEscape(bytes[index...])
        if isEscape || component.allows(byte) {
            encoded.append(byte)
        } else {
            encoded += [UInt8(ascii: "%"), hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15)]
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}

/// Returns whether the bytes begin with `%` and two hexadecimal digits.
func beginsEscape(_ text: ArraySlice<UInt8>) -> Bool {
    let digits = text.dropFirst().prefix(2)
    return text.first == UInt8(ascii: "%") && digits.count == 2
        && digits.allSatisfy { hexadecimalValue($0) != nil }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}
