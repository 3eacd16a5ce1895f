import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A frame of an animated WebP file: its bitstream, and how that comes onto the canvas.
///
/// - SeeAlso: RFC 9649 section 2.7.1.1, chunk ANMF.
struct WebPFrame: Hashable {
    let bitstream: WebPBitstream
    let x: Int
    let y: Int
    let duration: Duration
    /// Laid over the canvas by its alpha, rather than put in its place.
    let blends: Bool
    /// Its area is emptied before the next frame is drawn.
    let isDisposed: Bool

    /// Reads a chunk ANMF, all of which is there.
    ///
    /// - Throws: `DecodeError` where it holds no picture, or one that has another size or no room.
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
            throw .corrupt("a frame of \(size) pixels holds a picture of \(bitstream.size)")
        }
        guard self.x + size.width <= canvas.width, self.y + size.height <= canvas.height else {
            throw .corrupt("a frame of \(size) pixels at \(2 * x), \(2 * y) on a canvas of \(canvas)")
        }
    }

    private static func bitstream(in file: Data, _ range: Range<Int>) throws(DecodeError) -> WebPBitstream {
        var search = WebPBitstreamSearch()
        var start = range.lowerBound
        // A frame needs two chunks; what stands before them is bounded, what follows is not looked at.
        for _ in 0..<16 where search.found == nil && range.upperBound - start >= 8 {
            guard let chunk = WebPChunk(file, at: start), chunk.payload.upperBound <= range.upperBound else {
                throw .corrupt("a chunk within a frame reaches over its end")
            }
            try search.take(chunk, in: file)
            start = chunk.next
        }
        guard let found = search.found else { throw .corrupt("a frame without a picture") }
        return found
    }

    /// Whether all of a canvas is inside.
    func covers(_ canvas: PixelSize) -> Bool { bitstream.size == canvas }

    /// Whether the canvas does not show through anywhere in its area.
    var isOpaque: Bool { !bitstream.hasAlpha }
}

extension DecodeError {
    /// A WebP file that breaks the rules.
    static func corrupt(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .webP, detail: detail)
    }
}
