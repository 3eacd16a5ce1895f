/// The part of a request target that may be logged, found in one pass over its bytes.
///
/// The whole target is scanned even if only its start is logged: the `@` after a password may be far behind
/// it.
struct LoggedPath {
    private let bytes: [UInt8]
    /// The end of the bytes that were searched for `@` without success.
    private var searchEnd = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the text for logs: at most 300 bytes.
    static func text(of target: String) -> String {
        let bytes = target.bytes
        var path = LoggedPath(bytes)
        return String(decoding: bytes[..<path.end(atMost: maxByteCount)], as: UTF8.self)
    }

    private static let maxByteCount = 300

    /// The maximum number of base64 sources decoded in one path; it is cut at the next one.
    private static let maxSourceCount = 8

    /// Returns the index of the first byte not to log, at most `maxByteCount`: the start of a query, of a
    /// user before a host, or of a base64 source with either.
    mutating func end(atMost maxByteCount: Int) -> Int {
        let limit = min(bytes.count, maxByteCount)
        // A scheme may have been taken for a signature.
        if bytes.starts(with: "//".utf8), hasOddPort(at: 2, 0) { return min(2, limit) }
        // A source in base64 is a segment with those that follow, or an argument of an option.
        var (start, segmentEnd, sourceCount) = (0, Int?.some(0), 0)
        for index in 0..<limit {
            if index == start, beginsEncodedSource(index, segmentEnd == nil ? .end : .skipped) {
                sourceCount += 1
                guard sourceCount <= Self.maxSourceCount,
                    !hasSecret(index, segmentEnd == nil ? [.end] : [.skipped, .digits], before: limit)
                else { return segmentEnd ?? start }
            }
            guard URLText.base64Value(bytes[index]) == nil else { continue }
            let character = character(at: index)
            if character.byte == UInt8(ascii: "?") { return index }
            if character.byte == UInt8(ascii: ":"), hasUser(behind: character, at: index) { return index }
            let isSlash = character.byte == UInt8(ascii: "/")
            if isSlash || Self.digit(character.byte) == nil && character.byte != UInt8(ascii: ".") {
                (start, segmentEnd) = (character.next, isSlash ? index : nil)
            }
        }
        return limit
    }

    /// A byte, possibly percent-encoded once or several times.
    private struct Character {
        let byte: UInt8
        /// The number of times that it is encoded.
        let level: Int
        /// The index of the next character.
        let next: Int
    }

    private func character(at index: Int) -> Character {
        let plain = Character(byte: bytes[index], level: 0, next: index + 1)
        guard plain.byte == UInt8(ascii: "%") else { return plain }
        var (digits, level) = (index + 1, 1)
        while value(at: digits) == UInt8(ascii: "%") { (digits, level) = (digits + 2, level + 1) }
        guard let value = value(at: digits) else { return plain }
        return Character(byte: value, level: level, next: digits + 2)
    }

    /// Returns the byte of two hexadecimal digits.
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

    // MARK: Users

    /// Whether the text after a colon may be a user or its password: after any number of slashes, an `@`
    /// comes before the next slash.
    ///
    /// A slash that is encoded once more often than the colon is part of a password.
    private mutating func hasUser(behind colon: Character, at index: Int) -> Bool {
        var (place, level) = (colon.next, colon.level)
        while place < bytes.count, case let next = character(at: place), Self.isSlash(next.byte) {
            (place, level) = (next.next, max(level, next.level))
        }
        if place > colon.next {
            // A local file has no host.
            if isLocal(before: index) { return false }
            if hasOddPort(at: place, level) { return true }
        }
        // Searched bytes contain no `@`, and are not searched again.
        place = max(place, searchEnd)
        while place < bytes.count {
            let next = character(at: place)
            if next.byte == UInt8(ascii: "@") { return true }
            if Self.isSlash(next.byte), next.level <= level { break }
            place = next.next
        }
        searchEnd = place
        return false
    }

    /// Whether a host is followed by a colon and something other than a port: then it is a user whose
    /// password contains a slash.
    private func hasOddPort(at start: Int, _ level: Int) -> Bool {
        var (place, isAddress, isPort) = (start, false, false)
        let end = min(bytes.count, start + Self.maxHostByteCount)
        while place < end {
            let next = character(at: place)
            if Self.isSlash(next.byte), next.level <= level { return false }
            switch next.byte {
            case UInt8(ascii: "["): isAddress = true
            case UInt8(ascii: "]"): isAddress = false
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return false
            case UInt8(ascii: ":") where !isAddress && !isPort: isPort = true
            default:
                if isPort, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next.byte) { return true }
            }
            place = next.next
        }
        return false
    }

    private static let maxHostByteCount = 600

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private func isLocal(before index: Int) -> Bool {
        let name = bytes[..<index].suffix(6)
        return name.elementsEqual("/local".utf8) || index == 5 && name.elementsEqual("local".utf8)
    }

    // MARK: Sources in base64

    /// The meaning of a slash in base64.
    private enum Slashes {
        /// It divides the digits, as imgproxy allows in a source.
        case skipped
        /// It is a digit.
        case digits
        /// It ends the text.
        case end
    }

    /// Whether a base64 text begins here that decodes to a scheme and a colon, possibly encoded.
    private func beginsEncodedSource(_ start: Int, _ slashes: Slashes) -> Bool {
        guard bytes[start] != UInt8(ascii: "/") else { return false }
        var (isSource, count) = (false, 0)
        forEachByte(ofBase64From: start, slashes, until: start + 4 * Self.maxSchemeByteCount) {
            switch $0 {
            case UInt8(ascii: ":"), UInt8(ascii: "%"): isSource = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                count += 1
                return count < Self.maxSchemeByteCount
            default: break
            }
            return false
        }
        return isSource
    }

    private static let maxSchemeByteCount = 12

    /// Whether a base64 source has a query or a user, or extends beyond a limit: a truncated one is useless
    /// in a log.
    private func hasSecret(_ start: Int, _ readings: [Slashes], before limit: Int) -> Bool {
        readings.contains { slashes in
            var source: [UInt8] = []
            let end = forEachByte(ofBase64From: start, slashes, until: limit + 4) { byte in
                source.append(byte)
                return true
            }
            return end > limit || Self.isSecret(source)
        }
    }

    /// Decodes base64 of either alphabet.
    ///
    /// - Parameters:
    ///   - start: The index of the first digit.
    ///   - slashes: The meaning of slashes.
    ///   - end: The index at which decoding stops.
    ///   - body: Receives a byte, and returns whether to continue.
    /// - Returns: The index after the last digit read.
    @discardableResult
    private func forEachByte(
        ofBase64From start: Int,
        _ slashes: Slashes,
        until end: Int,
        _ body: (UInt8) -> Bool
    ) -> Int {
        var (bits, bitCount, place) = (UInt32(0), UInt32(0), start)
        while place < min(bytes.count, end) {
            let next = character(at: place)
            if slashes != .digits, next.byte == UInt8(ascii: "/") {
                if slashes == .end { break }
                place = next.next
                continue
            }
            guard let digit = Self.digit(next.byte) else { break }
            place = next.next
            (bits, bitCount) = ((bits << 6 | digit) & 0xFFFF, bitCount + 6)
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            guard body(UInt8(truncatingIfNeeded: bits >> bitCount)) else { break }
        }
        return place
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: URLText.base64Value(byte).map(UInt32.init)
        }
    }

    /// Whether a decoded source has a query or an `@`, however often it is encoded.
    private static func isSecret(_ source: [UInt8]) -> Bool {
        let path = LoggedPath(source)
        var place = 0
        while place < source.count {
            let next = path.character(at: place)
            if next.byte == UInt8(ascii: "?") || next.byte == UInt8(ascii: "@") { return true }
            place = next.next
        }
        return false
    }
}
