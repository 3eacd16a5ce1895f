import CalotypeSupport
import FoundationEssentials

/// The four letters that say what a chunk of a WebP file holds.
struct WebPChunkType: Hashable {
    let rawValue: UInt32

    static let extendedHeader = WebPChunkType("VP8X")
    static let animation = WebPChunkType("ANIM")
    static let frame = WebPChunkType("ANMF")
    static let alpha = WebPChunkType("ALPH")
    static let lossy = WebPChunkType("VP8 ")
    static let lossless = WebPChunkType("VP8L")
    static let profile = WebPChunkType("ICCP")
    static let exif = WebPChunkType("EXIF")

    private init(_ letters: String) {
        self.init(rawValue: letters.utf8.reduce(0) { $0 << 8 | UInt32($1) })
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// Where a chunk stands in its file; its payload need not be there yet.
struct WebPChunk {
    let type: WebPChunkType
    let start: Int
    let payload: Range<Int>

    /// Reads the eight bytes before the payload; `nil` where they are not all there.
    init?(_ file: Data, at start: Int) {
        var reader = ByteReader(file.dropFirst(start))
        guard let type = reader.bigEndian(UInt32.self), let byteCount = reader.littleEndian(UInt32.self)
        else { return nil }
        self.type = WebPChunkType(rawValue: type)
        self.start = start
        payload = start + 8..<start + 8 + Int(byteCount)
    }

    /// Where the next one starts: payloads are padded to an even number of bytes.
    var next: Int { payload.upperBound + payload.count % 2 }
}

extension ByteReader {
    /// The next integer of three bytes, least significant byte first.
    mutating func littleEndian24() -> Int? {
        guard let low = littleEndian(UInt16.self), let high = littleEndian(UInt8.self) else { return nil }
        return Int(high) << 16 | Int(low)
    }
}
