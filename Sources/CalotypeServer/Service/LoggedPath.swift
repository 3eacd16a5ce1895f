import FoundationEssentials

/// The part of a request's target that a log may have, found in one pass over its bytes.
struct LoggedPath {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The first byte that a log has not: of a query, of a name before a host, of a source in base64 that has
    /// either.
    var end: Int {
        var mayBeEncoded = true
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "?"): return index
            case UInt8(ascii: ":"), UInt8(ascii: "%"):
                if character(at: index).byte == UInt8(ascii: "?") || beginsName(index) { return index }
            case UInt8(ascii: "/") where mayBeEncoded:
                guard let source = encodedSource(behind: index) else { continue }
                if source.contains("?") || source.contains("@") { return index }
                // What is behind it is a part of it.
                mayBeEncoded = false
            default: continue
            }
        }
        return bytes.endIndex
    }

    /// The byte that stands at a place, also as an escape, or as an escape of escapes, and where the next one
    /// is.
    private func character(at index: Int) -> (byte: UInt8, next: Int) {
        guard bytes[index] == UInt8(ascii: "%") else { return (bytes[index], index + 1) }
        var digits = index + 1
        while value(at: digits) == UInt8(ascii: "%") { digits += 2 }
        guard let value = value(at: digits) else { return (bytes[index], index + 1) }
        return (value, digits + 2)
    }

    /// The byte of two hexadecimal digits.
    private func value(at index: Int) -> UInt8? {
        guard index + 1 < bytes.count, let high = hexadecimalDigit(bytes[index]),
            let low = hexadecimalDigit(bytes[index + 1])
        else { return nil }
        return high << 4 | low
    }

    private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether a host stands here behind its scheme, and a name before it.
    private func beginsName(_ start: Int) -> Bool {
        var index = start
        for byte in "://".utf8 {
            guard index < bytes.count else { return false }
            let next = character(at: index)
            guard next.byte == byte else { return false }
            index = next.next
        }
        // No slash is looked at twice, since each ends a host.
        while index < bytes.count {
            let next = character(at: index)
            if next.byte == UInt8(ascii: "@") { return true }
            if next.byte == UInt8(ascii: "/") { return false }
            index = next.next
        }
        return false
    }

    /// The source in base64 behind a slash; `nil` if what is there is none.
    private func encodedSource(behind slash: Int) -> String? {
        // An “h” of either case.
        guard slash + 1 < bytes.count, "aS".utf8.contains(bytes[slash + 1]) else { return nil }
        let head = text(ofDigitsFrom: slash + 1, atMost: 8)
        guard head.hasPrefix("http") else { return nil }
        return text(ofDigitsFrom: slash + 1, atMost: .max)
    }

    /// The text of base64 digits, without the slashes between them, in lower case.
    private func text(ofDigitsFrom start: Int, atMost countMax: Int) -> String {
        var digits: [UInt8] = []
        for byte in bytes[start...] where byte != UInt8(ascii: "/") {
            guard digits.count < countMax, Self.isDigit(byte) else { break }
            digits.append(byte)
        }
        // Where the path has been cut, the last digits may make no byte.
        for count in [digits.count, digits.count / 4 * 4] {
            let text = Substring(decoding: digits.prefix(count), as: UTF8.self)
            guard let decoded = URLText.base64Decoded(text, toleratesPadding: true) else { continue }
            return String(decoding: decoded, as: UTF8.self).lowercased()
        }
        return ""
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
