import CalotypeCore
package import FoundationEssentials

extension CodecRegistry {
    /// Returns whether a decode converts the levels of a JPEG or PNG whatever its options: inks, gray with a
    /// profile or a gamma, and coded colours (cICP).
    ///
    /// Also true for a JPEG without a readable frame header. Only headers are read.
    package static func alwaysConvertsLevels(of file: Data) -> Bool {
        let format = ImageFormat(sniffing: file)
        return format == .jpeg ? convertsJPEG(file) : format == .png && convertsPNG(file)
    }

    /// ITU-T T.81 section B.2.2; ICC.1 section B.4.
    private static func convertsJPEG(_ file: Data) -> Bool {
        var (channelCount, hasProfile) = (0, false)
        for segment in JPEGSegments(file, passingPadding: true) {
            switch segment.marker {
            case 0xE2: hasProfile = hasProfile || segment.payload.starts(with: "ICC_PROFILE\0".utf8)
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                channelCount = Int(segment.payload.dropFirst(5).first ?? 0)
            default: break
            }
        }
        return channelCount == 1 ? hasProfile : channelCount != 3
    }

    /// PNG 3 sections 11.2.1, 11.3.2.
    private static func convertsPNG(_ file: Data) -> Bool {
        var isGray = false
        for chunk in PNGChunks(file) {
            switch chunk.type {
            case PNGChunkType("IHDR"): isGray = [0, 4].contains(chunk.payload.dropFirst(9).first)
            case PNGChunkType("cICP"): return true
            case PNGChunkType("iCCP"): if isGray { return true }
            // The gamma of sRGB is 45455.
            case PNGChunkType("gAMA"): if isGray, chunk.payload != Data([0, 0, 0xB1, 0x8F]) { return true }
            case .imageData: return false
            default: break
            }
        }
        return false
    }
}
