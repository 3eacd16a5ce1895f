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
