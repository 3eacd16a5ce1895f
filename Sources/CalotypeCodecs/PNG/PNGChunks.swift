import CalotypeSupport
import FoundationEssentials

/// The chunks of a PNG file in their order, up to the last, or the first incomplete one; checksums are not
/// verified.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: PNGChunkType
        let payload: Data
        /// The offset after the chunk in the file.
        let end: Int
    }

    private var reader: ByteReader
    private var isPastEnd = false
    private let start: Int

    /// Starts after the signature, or at the chunk at `start`.
    init(_ file: Data, from start: Int = 8) {
        reader = ByteReader(file.dropFirst(start))
        self.start = start
    }

    mutating func next() -> Chunk? {
        guard !isPastEnd, let byteCount = reader.bigEndian(UInt32.self),
            let letters = reader.bigEndian(UInt32.self),
            let payload = reader.bytes(Int(byteCount)),
            reader.bytes(4) != nil
        else { return nil }
        let type = PNGChunkType(rawValue: letters)
        isPastEnd = type == .end
        return Chunk(type: type, payload: payload, end: start + reader.offset)
    }
}

/// The four letters of a chunk type.
struct PNGChunkType: FourLetters {
    let rawValue: UInt32

    static let animationControl = PNGChunkType("acTL")
    static let frameControl = PNGChunkType("fcTL")
    static let frameData = PNGChunkType("fdAT")
    static let exif = PNGChunkType("eXIf")
    static let imageData = PNGChunkType("IDAT")
    static let end = PNGChunkType("IEND")
}
