import CalotypeSupport
import FoundationEssentials

/// The chunks of a PNG file in their order, up to the first that is not whole; their check sums are not
/// looked at.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: PNGChunkType
        let payload: Data
    }

    private var reader: ByteReader

    /// Starts after the signature.
    init(_ file: Data) {
        reader = ByteReader(file.dropFirst(8))
    }

    mutating func next() -> Chunk? {
        guard let byteCount = reader.bigEndian(UInt32.self),
            let type = reader.bigEndian(UInt32.self),
            let payload = reader.bytes(Int(byteCount)),
            reader.bytes(4) != nil
        else { return nil }
        return Chunk(type: PNGChunkType(rawValue: type), payload: payload)
    }
}

/// The four letters that say what a chunk holds.
struct PNGChunkType: Hashable {
    let rawValue: UInt32

    static let animationControl = PNGChunkType("acTL")
    static let frameControl = PNGChunkType("fcTL")
    static let exif = PNGChunkType("eXIf")
    static let imageData = PNGChunkType("IDAT")

    private init(_ letters: String) {
        self.init(rawValue: letters.utf8.reduce(0) { $0 << 8 | UInt32($1) })
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
