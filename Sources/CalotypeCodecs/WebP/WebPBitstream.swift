import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The header of a compressed picture within a WebP file; further bytes need not have arrived.
struct WebPBitstream: Hashable {
    /// The range from the chunk header, or that of the preceding ALPH chunk, to the end of the payload.
    let range: Range<Int>
    let size: PixelSize
    let hasAlpha: Bool
    let isLossless: Bool

    /// The bytes of a payload required for parsing the header.
    static let headByteCount = 10

    /// Parses the header of a chunk `VP8 ` or `VP8L`.
    ///
    /// - Parameters:
    ///   - chunk: The chunk, of which the first ``headByteCount`` bytes, or all, are available.
    ///   - file: The file from its start.
    ///   - alphaStart: The start of the preceding ALPH chunk, if there is one.
    /// - Throws: `DecodeError` if the header is invalid.
    init(_ chunk: WebPChunk, in file: Data, alphaStart: Int?) throws(DecodeError) {
        var head = ByteReader(file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count))
        isLossless = chunk.type == .lossless
        if isLossless {
            guard let (size, usesAlpha) = Self.losslessHead(&head) else { throw Self.noHead("VP8L") }
            self.size = size
            hasAlpha = usesAlpha
            range = chunk.start..<chunk.payload.upperBound
        } else {
            guard let size = Self.lossyHead(&head) else { throw Self.noHead("VP8") }
            self.size = size
            hasAlpha = alphaStart != nil
            range = (alphaStart ?? chunk.start)..<chunk.payload.upperBound
        }
    }

    private static func noHead(_ kind: String) -> DecodeError {
        DecodeError(.corrupt, format: .webP, detail: "a chunk has no \(kind) bitstream header")
    }

    /// Parses the lossless header, RFC 9649 section 3.4: a signature, 14 bits each of width and height minus
    /// one, a bit for alpha, and a version of three bits.
    private static func losslessHead(_ head: inout ByteReader) -> (size: PixelSize, usesAlpha: Bool)? {
        guard head.littleEndian(UInt8.self) == 0x2F, let bits = head.littleEndian(UInt32.self),
            bits >> 29 == 0
        else { return nil }
        let size = PixelSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1)
        return (size, bits >> 28 & 1 == 1)
    }

    /// Parses the lossy header, RFC 6386 section 9.1: three bytes whose lowest bit is clear in a key frame, a
    /// start code, and 14 bits each of width and height, with two bits for scaling that decoders ignore.
    private static func lossyHead(_ head: inout ByteReader) -> PixelSize? {
        guard let tag = head.littleEndian24(), tag & 1 == 0, head.littleEndian24() == 0x2A019D,
            let width = head.littleEndian(UInt16.self), let height = head.littleEndian(UInt16.self)
        else { return nil }
        let size = PixelSize(width: Int(width & 0x3FFF), height: Int(height & 0x3FFF))
        return size.isEmpty ? nil : size
    }
}

/// Searches consecutive chunks for the bitstream; the first one is used.
struct WebPBitstreamSearch {
    private var alphaStart: Int?
    private(set) var found: WebPBitstream?

    /// Processes the next chunk, of which at least the header is available.
    mutating func take(_ chunk: WebPChunk, in file: Data) throws(DecodeError) {
        guard found == nil else { return }
        switch chunk.type {
        case .alpha: alphaStart = alphaStart ?? chunk.start
        case .lossy, .lossless: found = try WebPBitstream(chunk, in: file, alphaStart: alphaStart)
        default: break
        }
    }
}
