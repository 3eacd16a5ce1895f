import CalotypeCore
import FoundationEssentials

/// Copies the chunks of a PNG that are needed to show it (PNG 3 section 11).
enum PNGStripping {
    /// Ancillary chunks that affect the appearance, with their valid lengths; decoders ignore other lengths.
    private static let byteCounts: [PNGChunkType: ClosedRange<Int>] = [
        .init("tRNS"): 0...256, .init("cHRM"): 32...32, .init("gAMA"): 4...4, .init("iCCP"): 0...Int.max,
        .init("sBIT"): 1...4, .init("sRGB"): 1...1, .init("cICP"): 4...4, .init("mDCV"): 24...24,
        .init("cLLI"): 8...8, .init("bKGD"): 1...6, .init("pHYs"): 9...9, .animationControl: 0...Int.max,
        .frameControl: 0...Int.max, .frameData: 0...Int.max,
    ]
    /// Chunks of which decoders read only a number of bytes.
    private static let prefixes: [PNGChunkType: Int] = [.animationControl: 8, .frameControl: 26, .end: 0]

    /// Returns the file without texts, times, Exif and unknown ancillary chunks.
    ///
    /// - Throws: `DecodeError` with `truncated` if a chunk is incomplete or the last one is missing.
    static func strip(_ file: Data, exif: Data?) throws(DecodeError) -> Data {
        var result = Data(file.prefix(8))
        result.reserveCapacity(file.count)
        var pendingExif = exif.map { chunk(.exif, $0) }
        var isWhole = false
        for chunk in PNGChunks(file) {
            guard isKept(chunk) else { continue }
            if chunk.type == .imageData, let exif = pendingExif {
                result += exif
                pendingExif = nil
            }
            if let prefix = prefixes[chunk.type], chunk.payload.count > prefix {
                result += Self.chunk(chunk.type, chunk.payload.prefix(prefix))
            } else {
                let byteCount = chunk.payload.count + 12
                result += file.dropFirst(chunk.end - byteCount).prefix(byteCount)
            }
            isWhole = chunk.type == .end
        }
        guard isWhole else { throw .cutOff(.png) }
        return result
    }

    private static func isKept(_ chunk: PNGChunks.Chunk) -> Bool {
        // The fifth bit of the first letter is set for ancillary chunks.
        guard chunk.type.rawValue & 0x2000_0000 != 0 else { return true }
        return byteCounts[chunk.type]?.contains(chunk.payload.count) ?? false
    }

    private static func chunk(_ type: PNGChunkType, _ payload: Data) -> Data {
        let body = bytes(type.rawValue) + payload
        return bytes(UInt32(payload.count)) + body + bytes(crc32(body))
    }

    private static func bytes(_ value: UInt32) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// Computes the CRC of PNG 3 annex D bit by bit, for about a hundred bytes.
    private static func crc32(_ bytes: Data) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}
