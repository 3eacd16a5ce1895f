/// Replaces each `%` with two hexadecimal digits by the byte that they encode; a `%` without digits is
/// unchanged.
package func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
        guard
            byte == UInt8(ascii: "%"),
            let high = rest.first.flatMap(hexadecimalValue),
            let low = rest.dropFirst().first.flatMap(hexadecimalValue)
        else {
            decoded.append(byte)
            continue
        }
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
    }
    return decoded
}

/// Returns the value of a hexadecimal digit in either case; `nil` for any other byte.
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
