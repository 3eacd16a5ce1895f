import CalotypeSupport

/// The name of an entry's file, derived from its key alone.
///
/// Two keys with the same name are distinguished by the key in the record. The derivation is part of the
/// format (`Docs/cache-format.md`): changing it makes every existing entry unreachable.
package struct EntryName: Hashable, Sendable {
    /// The first 64 bits of SHA-256 of the key's UTF-8 bytes.
    package let high: UInt64
    /// The next 64 bits.
    package let low: UInt64
    // The extension's bytes, the first one highest, padded with zeros; stored inline, so that a million names
    // need no other memory.
    private let extensionBytes: (high: UInt64, low: UInt64)

    /// The extension: ASCII letters and digits, at most 16; empty if there is none.
    package var pathExtension: String {
        String(decoding: (0..<extensionByteCount).map(extensionByte), as: UTF8.self)
    }

    package init(key: String) {
        var key = key
        extensionBytes = key.withUTF8 { utf8 in unsafe Self.extensionBytes(of: utf8[...]) }
        (high, low) = unsafe MessageDigest.sha256(key).withUnsafeBytes { digest in
            unsafe (
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Returns whether two names are equal.
    package static func == (left: EntryName, right: EntryName) -> Bool {
        left.low == right.low && left.high == right.high && left.extensionBytes == right.extensionBytes
    }

    /// Hashes 64 bits only: they are part of a cryptographic hash, so no client can choose them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(low)
    }

    /// Parses a file name of an entry; `nil` for any other.
    package init?(fileName: String) {
        var fileName = fileName
        let name = fileName.withUTF8 { utf8 in unsafe Self(fileName: utf8[...]) }
        guard let name else { return nil }
        self = name
    }

    // Parses bytes, not characters: a combining mark after the digits would form one character with the last
    // of them.
    private init?<Bytes: BidirectionalCollection<UInt8>>(fileName bytes: Bytes)
    where Bytes.SubSequence == Bytes {
        guard bytes.count >= Self.hexDigitCount,
            let high = Self.parseHex(bytes.prefix(16)),
            let low = Self.parseHex(bytes.dropFirst(16).prefix(16))
        else { return nil }
        let rest = bytes.dropFirst(Self.hexDigitCount)
        if rest.isEmpty {
            extensionBytes = (0, 0)
        } else {
            guard rest.first == UInt8(ascii: "."), Self.isExtension(rest.dropFirst()) else { return nil }
            extensionBytes = Self.packed(rest.dropFirst())
        }
        self.high = high
        self.low = low
    }

    /// The name inside its folder: 32 lower-case hexadecimal digits, then the extension, if there is one.
    package var fileName: String {
        unsafe String(unsafeUninitializedCapacity: fileNameByteCount) { bytes in
            unsafe writeFileName(into: bytes)
            return fileNameByteCount
        }
    }

    /// The byte count of ``fileName``.
    var fileNameByteCount: Int {
        Self.hexDigitCount + (extensionByteCount == 0 ? 0 : extensionByteCount + 1)
    }

    private var extensionByteCount: Int {
        let zeroBitCount =
            extensionBytes.low == 0
            ? 64 + extensionBytes.high.trailingZeroBitCount : extensionBytes.low.trailingZeroBitCount
        return (128 - zeroBitCount + 7) / 8
    }

    private func extensionByte(at index: Int) -> UInt8 {
        let word = index < 8 ? extensionBytes.high : extensionBytes.low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }

    /// Writes ``fileName`` into a buffer that is large enough.
    func writeFileName(into bytes: UnsafeMutableBufferPointer<UInt8>) {
        for digit in 0..<16 {
            unsafe bytes[digit] = Self.hexDigit(high, at: digit)
            unsafe bytes[16 + digit] = Self.hexDigit(low, at: digit)
        }
        let extensionByteCount = extensionByteCount
        guard extensionByteCount > 0 else { return }
        unsafe bytes[Self.hexDigitCount] = UInt8(ascii: ".")
        for offset in 0..<extensionByteCount {
            unsafe bytes[Self.hexDigitCount + 1 + offset] = extensionByte(at: offset)
        }
    }

    /// The number of its folder, 0..<256: the first byte of the hash.
    var folderIndex: Int { Int(high >> 56) }

    /// The name of its folder: the first two digits.
    package var folderName: String { Self.folderName(at: folderIndex) }

    /// Returns the name of one of the 256 folders, `00` to `ff`.
    package static func folderName(at index: Int) -> String {
        let digits = String(index, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}

extension EntryName {
    private static let hexDigitCount = 32
    private static let maxExtensionByteCount = 16

    private static func hexDigit(_ value: UInt64, at index: Int) -> UInt8 {
        let nibble = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 0xf
        return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

    private static func parseHex(_ digits: some Sequence<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    // The extension of the URL's path if the key begins with a scheme, else that of the key.
    // //
    // // Parsed here, not by `URL`, so that no change of a parser can ever move a file.
    private static func extensionBytes<Bytes: BidirectionalCollection<UInt8>>(
        of key: Bytes
    ) -> (high: UInt64, low: UInt64) where Bytes.SubSequence == Bytes {
        var name = path(of: key)
        if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name[name.index(after: slash)...] }
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return (0, 0) }
        let candidate = name[name.index(after: dot)...]
        return isExtension(candidate) ? packed(candidate) : (0, 0)
    }

    private static func packed(_ bytes: some Collection<UInt8>) -> (high: UInt64, low: UInt64) {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            let shifted = UInt64(byte) << UInt64(56 - 8 * (index & 7))
            if index < 8 { words.high |= shifted } else { words.low |= shifted }
        }
        return words
    }

    /// Returns a URL without scheme, authority, query and fragment; the whole key if it is not a URL.
    static func path(ofKey key: String) -> Substring.UTF8View {
        path(of: key[...].utf8)
    }

    private static func path<Bytes: BidirectionalCollection<UInt8>>(of whole: Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
        guard let colon = whole.firstIndex(of: UInt8(ascii: ":")), isScheme(whole[..<colon]) else {
            return whole
        }
        var path = whole[whole.index(after: colon)...]
        path = path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.prefix(2).allSatisfy({ $0 == UInt8(ascii: "/") }), path.count >= 2 else { return path }
        return path.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { byte in
            isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    private static func isExtension(_ bytes: some Collection<UInt8>) -> Bool {
        (1...maxExtensionByteCount).contains(bytes.count) && bytes.allSatisfy { isLetter($0) || isDigit($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
