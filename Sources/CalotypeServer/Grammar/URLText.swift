import CalotypeLoading
import FoundationEssentials

/// Text as it stands in URLs.
enum URLText {
    /// The text with each `%` and its two digits replaced by the byte that they stand for.
    ///
    /// - Returns: `nil` where a `%` has no digits, or the bytes are no UTF-8.
    static func percentDecoded(_ text: some StringProtocol) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimalValue),
                let low = rest.popFirst().flatMap(hexadecimalValue)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The text decoded until nothing is left to decode; `nil` where that is not so after three times.
    static func decodedThroughout(_ text: String) -> String? {
        var text = text
        for _ in 0..<4 {
            // What is wrongly encoded stands for itself.
            let next = String(decoding: CalotypeLoading.percentDecoded(text.utf8), as: UTF8.self)
            if next == text { return text }
            text = next
        }
        return nil
    }

    /// The bytes that URL-safe base64 stands for.
    ///
    /// - Parameters:
    ///   - text: Letters, digits, `-` and `_`.
    ///   - toleratesPadding: Whether there may be `=` at its end.
    /// - Returns: `nil` where the text is no such base64.
    static func base64Decoded(_ text: some StringProtocol, toleratesPadding: Bool) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        if toleratesPadding {
            while digits.last == UInt8(ascii: "=") { digits.removeLast() }
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

    /// The number that a digit of URL-safe base64 stands for.
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

    /// URL-safe base64 of bytes.
    static func base64(_ bytes: [UInt8], isPadded: Bool) -> String {
        let text = Data(bytes).base64EncodedString()
        let safe = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return String(isPadded ? safe : safe.filter { $0 != "=" })
    }
}

extension String {
    /// The text from bytes written as hexadecimal digits in pairs, in either case; `nil` where it is none.
    static func bytes(hex text: some StringProtocol) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2), text.allSatisfy(\.isASCII) else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
