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

    /// The next integer, most significant byte first.
    package mutating func bigEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        bytes(MemoryLayout<Value>.size)?.reduce(0) { value, byte in (value << 8) | Value(byte) }
    }

    /// The next integer, least significant byte first.
    package mutating func littleEndian<Value>(_ type: Value.Type) -> Value?
    where Value: FixedWidthInteger & UnsignedInteger {
        bigEndian(type)?.byteSwapped
    }
}
