import CalotypeCore
import FoundationEssentials

/// Copies the chunks of a PNG that are needed to show it (PNG 3 section 11).
enum PNGStripping {
    /// Ancillary chunks that change what is shown.
    private static let kept: Set<UInt32> = Set(
        [
            "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "pHYs", "acTL",
            "fcTL", "fdAT",
        ].map { $0.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
    )

    /// Returns the file without texts, times, Exif and unknown ancillary chunks.
    ///
    /// - Throws: `DecodeError` with `truncated` where a chunk or the last one is missing.
    static func strip(_ file: Data, exif: Data?) throws(DecodeError) -> Data {
        var result = Data(file.prefix(8))
        result.reserveCapacity(file.count)
        var pendingExif = exif.map { chunk("eXIf", $0) }
        var isWhole = false
        for chunk in PNGChunks(file) {
            // The fifth bit of the first letter is set for ancillary chunks.
            let isAncillary = chunk.type.rawValue & 0x2000_0000 != 0
            guard !isAncillary || kept.contains(chunk.type.rawValue) else { continue }
            if chunk.type == .imageData, let exif = pendingExif {
                result += exif
                pendingExif = nil
            }
            let byteCount = chunk.payload.count + 12
            result += file.dropFirst(chunk.end - byteCount).prefix(byteCount)
            isWhole = chunk.type == .end
        }
        guard isWhole else { throw .cutOff(.png) }
        return result
    }

    private static func chunk(_ name: String, _ payload: Data) -> Data {
        let body = Data(name.utf8) + payload
        return bytes(UInt32(payload.count)) + body + bytes(crc32(body))
    }

    private static func bytes(_ value: UInt32) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// PNG 3 annex D, bit by bit: there are some hundred bytes.
    private static func crc32(_ bytes: Data) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}
