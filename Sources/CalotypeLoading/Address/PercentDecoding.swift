/// Replaces each `%` with two hexadecimal digits by the byte that they encode; a `%` without digits is
/// unchanged.
package func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
    // An array, since generic code of another module takes ten times as long for each byte.
    let bytes = text.withContiguousStorageIfAvailable { Array($0) } ?? Array(text)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
        if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
            let high = hexadecimalValue(bytes[place + 1]), let low = hexadecimalValue(bytes[place + 2])
        {
            decoded.append(high << 4 | low)
            place += 3
        } else {
            decoded.append(bytes[place])
            place += 1
        }
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
