package import FoundationEssentials

/// Reads integers from untrusted bytes; reading past the end returns `nil` and never traps.
package struct ByteReader {
    private let bytes: Data

    /// The offset of the next byte to read.
    package private(set) var offset = 0

    /// Creates a reader at the first byte.
    package init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// The number of bytes left.
    package var remainingByteCount: Int { bytes.count - offset }

    /// Returns the next `byteCount` bytes, or `nil` without consuming any if fewer are left.
    package mutating func bytes(_ byteCount: Int) -> Data? {
        guard byteCount >= 0, byteCount <= remainingByteCount else { return nil }
        let start = bytes.startIndex + offset
        offset += byteCount
        return bytes[start..<start + byteCount]
    }

    /// Reads the next integer of at most 64 bits, most significant byte first.
    package mutating func bigEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        integer(byteCount: MemoryLayout<Value>.size).map { Value(truncatingIfNeeded: $0) }
    }

    /// Reads the next integer of at most 64 bits, least significant byte first.
    package mutating func littleEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        bigEndian(type)?.byteSwapped
    }

    /// Not generic: if the type were known only at run time, each step of the loop would be a call.
    private mutating func integer(byteCount: Int) -> UInt64? {
        precondition(byteCount <= 8, "an integer of more than 64 bits")
        guard byteCount <= remainingByteCount else { return nil }
        let start = bytes.startIndex + offset
        offset += byteCount
        var value: UInt64 = 0
        for index in start..<start + byteCount { value = (value << 8) | UInt64(bytes[index]) }
        return value
    }
}

extension ByteReader {
    /// Reads the next text; `nil` if it is cut off or not UTF-8.
    package mutating func text() -> String? {
        guard let byteCount = littleEndian(UInt16.self), let bytes = bytes(Int(byteCount)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends an integer, least significant byte first.
    package mutating func append(integer: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    /// Appends a text of at most 65,535 bytes, preceded by its byte count; ``ByteReader/text()`` reads it.
    package mutating func append(text: String) {
        append(integer: UInt16(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
