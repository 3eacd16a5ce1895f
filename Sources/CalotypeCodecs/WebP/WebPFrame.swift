import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A frame of an animated WebP file: its bitstream, and its composition onto the canvas.
///
/// - SeeAlso: RFC 9649 section 2.7.1.1, chunk ANMF.
struct WebPFrame: Hashable {
    let bitstream: WebPBitstream
    let x: Int
    let y: Int
    let duration: Duration
    /// True to composite with alpha, false to replace the area.
    let blends: Bool
    /// True if its area is cleared before the next frame is drawn.
    let isDisposed: Bool

    /// Reads a complete ANMF chunk.
    ///
    /// - Throws: `DecodeError` if it contains no picture, or one of another size or beyond the canvas.
    init(_ chunk: WebPChunk, in file: Data, canvas: PixelSize) throws(DecodeError) {
        var head = ByteReader(file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count))
        guard let x = head.littleEndian24(), let y = head.littleEndian24(),
            let width = head.littleEndian24(), let height = head.littleEndian24(),
            let milliseconds = head.littleEndian24(), let flags = head.littleEndian(UInt8.self)
        else {
            throw .corrupt("a frame of \(chunk.payload.count) bytes")
        }
        self.x = 2 * x
        self.y = 2 * y
        duration = .frame(stated: .milliseconds(milliseconds))
        blends = flags & 2 == 0
        isDisposed = flags & 1 == 1
        bitstream = try Self.bitstream(in: file, chunk.payload.dropFirst(16))
        let size = PixelSize(width: width + 1, height: height + 1)
        guard bitstream.size == size else {
            throw .corrupt("a frame of \(size) pixels contains a picture of \(bitstream.size)")
        }
        guard self.x + size.width <= canvas.width, self.y + size.height <= canvas.height else {
            throw .corrupt("a frame of \(size) pixels at \(2 * x), \(2 * y) on a canvas of \(canvas)")
        }
    }

    private static func bitstream(in file: Data, _ range: Range<Int>) throws(DecodeError) -> WebPBitstream {
        var search = WebPBitstreamSearch()
        var start = range.lowerBound
        // A frame needs two chunks; the number before them is limited, and later ones are ignored.
        for _ in 0..<16 where search.found == nil && range.upperBound - start >= 8 {
            guard let chunk = WebPChunk(file, at: start), chunk.payload.upperBound <= range.upperBound else {
                throw .corrupt("a chunk within a frame exceeds it")
            }
            try search.take(chunk, in: file)
            start = chunk.next
        }
        guard let found = search.found else { throw .corrupt("a frame without a picture") }
        return found
    }

    /// Returns whether it covers the whole canvas.
    func covers(_ canvas: PixelSize) -> Bool { bitstream.size == canvas }

    /// True if the canvas is not visible through its area.
    var isOpaque: Bool { !bitstream.hasAlpha }
}

extension DecodeError {
    /// Returns the error for an invalid WebP file.
    static func corrupt(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .webP, detail: detail)
    }
}
