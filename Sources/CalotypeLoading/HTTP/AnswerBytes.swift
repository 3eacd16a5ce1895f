import NIOCore

/// The bytes of one answer as they came, counted beside the parser.
///
/// A parser keeps the beginning of a next answer to itself until its head is whole. Left there, it would
/// become part of the answer to the next request on the connection.
struct AnswerBytes {
    /// What the bytes say at the end of an answer.
    enum End {
        /// They end with the answer.
        case clean
        /// More came.
        case excess
        /// It cannot be told.
        case unknown
    }

    private static let emptyLine = UInt32(0x0D0A_0D0A)

    /// The number of bytes of the body, as the parser has given them.
    var bodyByteCount = 0
    /// Whether the end of the body is told by a last chunk.
    var isChunked = false
    /// Whether another head came before that of the answer, such as 103 Early Hints.
    var isInformed = false

    private var byteCount = 0
    private var headByteCount: Int?
    /// The four bytes that came last, the latest lowest.
    private var latest = UInt32(0)

    /// Counts bytes, and finds the empty line that ends the head.
    mutating func add(_ bytes: ByteBufferView) {
        if headByteCount == nil {
            for (index, byte) in bytes.enumerated() {
                latest = latest << 8 | UInt32(byte)
                if latest == Self.emptyLine {
                    headByteCount = byteCount + index + 1
                    break
                }
            }
        }
        for byte in bytes.suffix(4) { latest = latest << 8 | UInt32(byte) }
        byteCount += bytes.count
    }

    /// Compares the bytes with the answer, which the parser takes for whole.
    var end: End {
        guard !isInformed, let headByteCount else { return .unknown }
        // What follows after the last chunk and has no empty line at its end is no whole head, which the
        // parser would have refused.
        if isChunked { return latest == Self.emptyLine ? .clean : .excess }
        return byteCount == headByteCount + bodyByteCount ? .clean : .excess
    }
}
