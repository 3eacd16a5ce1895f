package import FoundationEssentials

/// Reads integers out of bytes that cannot be trusted; past the end there is `nil`, never a trap.
package struct ByteReader {
    private let bytes: Data

    /// How many bytes lie before the next one to read.
    package private(set) var offset = 0

    /// Reads from the first byte on.
    package init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    package var remainingByteCount: Int { bytes.count - offset }

    /// The next `byteCount` bytes, or `nil` where there are fewer; then nothing is consumed.
    package mutating func bytes(_ byteCount: Int) -> Data? {
        guard byteCount >= 0, byteCount <= remainingByteCount else { return nil }
        let start = bytes.startIndex + offset
        offset += byteCount
        return bytes[start..<start + byteCount]
    }

    /// The next integer of at most 64 bits, most significant byte first.
    package mutating func bigEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        integer(byteCount: MemoryLayout<Value>.size).map { Value(truncatingIfNeeded: $0) }
    }

    /// The next integer of at most 64 bits, least significant byte first.
    package mutating func littleEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        bigEndian(type)?.byteSwapped
    }

    /// Not generic, since each step of the loop would be a call where the type is only known later.
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
    /// The next text, or `nil` where it is cut off or not UTF-8.
    package mutating func text() -> String? {
        guard let byteCount = littleEndian(UInt16.self), let bytes = bytes(Int(byteCount)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Adds an integer, least significant byte first.
    package mutating func append(integer: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    /// Adds a text of at most 65,535 bytes, with their number before it; ``ByteReader/text()`` reads it.
    package mutating func append(text: String) {
        append(integer: UInt16(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
