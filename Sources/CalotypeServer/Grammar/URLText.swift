import CalotypeLoading
import FoundationEssentials

/// Decoding and encoding of text in URLs.
enum URLText {
    /// Decodes percent-encoding.
    ///
    /// - Returns: The text, or `nil` if a `%` lacks its digits, or the bytes are not valid UTF-8.
    static func percentDecoded(_ text: some StringProtocol) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.utf8.count)
        let bytes = text.bytes
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "%") else {
                decoded.append(bytes[place])
                place += 1
                continue
            }
            guard place + 2 < bytes.count, let high = hexadecimalValue(bytes[place + 1]),
                let low = hexadecimalValue(bytes[place + 2])
            else { return nil }
            decoded.append(high << 4 | low)
            place += 3
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Decodes percent-encoding repeatedly; `nil` if the text is still encoded after three passes.
    static func decodedThroughout(_ text: String) -> String? {
        var text = text
        for _ in 0..<4 {
            guard text.bytes.contains(UInt8(ascii: "%")) else { return text }
            // Invalid escapes are literal.
            let next = String(decoding: CalotypeLoading.percentDecoded(text.utf8), as: UTF8.self)
            if next == text { return text }
            text = next
        }
        return nil
    }

    /// Decodes URL-safe base64.
    ///
    /// - Parameters:
    ///   - text: Letters, digits, `-` and `_`.
    ///   - toleratesPadding: Whether a final `=` is allowed.
    /// - Returns: The bytes, or `nil` if the text is not such base64.
    static func base64Decoded(_ text: some StringProtocol, toleratesPadding: Bool) -> [UInt8]? {
        var digits = text.bytes[...]
        if toleratesPadding {
            let last = digits.lastIndex { $0 != UInt8(ascii: "=") }
            digits = digits[...(last ?? -1)]
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, bitCount) = (UInt32(0), UInt32(0))
        for digit in digits {
            guard let value = base64Value(digit) else { return nil }
            (bits, bitCount) = (bits << 6 | UInt32(value), bitCount + 6)
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        return bytes
    }

    /// Returns the value of a digit of URL-safe base64.
    static func base64Value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Encodes bytes in URL-safe base64.
    static func base64(_ bytes: [UInt8], isPadded: Bool) -> String {
        let text = Data(bytes).base64EncodedString()
        let safe = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return String(isPadded ? safe : safe.filter { $0 != "=" })
    }
}

extension String {
    /// Decodes pairs of hexadecimal digits, in either case; `nil` for other text.
    static func bytes(hex text: some StringProtocol) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2), text.allSatisfy(\.isASCII) else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
