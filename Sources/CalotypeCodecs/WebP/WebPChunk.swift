import CalotypeSupport
import FoundationEssentials

/// The four letters of a chunk type of a WebP file.
struct WebPChunkType: FourLetters {
    let rawValue: UInt32

    static let extendedHeader = WebPChunkType("VP8X")
    static let animation = WebPChunkType("ANIM")
    static let frame = WebPChunkType("ANMF")
    static let alpha = WebPChunkType("ALPH")
    static let lossy = WebPChunkType("VP8 ")
    static let lossless = WebPChunkType("VP8L")
    static let profile = WebPChunkType("ICCP")
    static let exif = WebPChunkType("EXIF")
}

/// The position of a chunk in its file; its payload need not have arrived.
struct WebPChunk {
    let type: WebPChunkType
    let start: Int
    let payload: Range<Int>

    /// Reads the eight bytes before the payload; `nil` if they are incomplete.
    init?(_ file: Data, at start: Int) {
        var reader = ByteReader(file.dropFirst(start))
        guard let type = reader.bigEndian(UInt32.self), let byteCount = reader.littleEndian(UInt32.self)
        else { return nil }
        self.type = WebPChunkType(rawValue: type)
        self.start = start
        payload = start + 8..<start + 8 + Int(byteCount)
    }

    /// The start of the next chunk: payloads are padded to an even number of bytes.
    var next: Int { payload.upperBound + payload.count % 2 }
}

extension ByteReader {
    /// Reads an integer of three bytes, least significant byte first.
    mutating func littleEndian24() -> Int? {
        guard let low = littleEndian(UInt16.self), let high = littleEndian(UInt8.self) else { return nil }
        return Int(high) << 16 | Int(low)
    }
}
