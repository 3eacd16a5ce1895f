import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials

/// TIFF files that cost a careless decoder much.
enum HostileTIFF {
    private static let pixel = TIFFFile(width: 1, strips: [[1]])

    /// Tags read by the decoder that share eight million bytes.
    @Sendable static func sharedTags() -> Data {
        var file = Data([0x49, 0x49, 42, 0]) + littleEndian(8)
        let tags = [256, 257, 258, 259, 262, 274, 277, 322, 323, 338]
        let start = 8 + 2 + 12 * tags.count + 4
        file += littleEndian(tags.count, 2)
        for tag in tags {
            file += littleEndian(tag, 2) + littleEndian(1, 2) + littleEndian(8_000_000) + littleEndian(start)
        }
        return file + littleEndian(0) + Data(repeating: 1, count: 8_000_000)
    }

    /// The width as the first of four million values.
    @Sendable static func longTag() -> Data {
        var file = pixel
        file.others[256] = (4, littleEndian(1) + Data(count: 16_000_000), 4_000_001)
        return file.data
    }

    static func tags(_ count: Int) -> Data {
        var file = pixel
        for tag in 0..<count { file.others[UInt16(40_000 + tag)] = (1, Data([0]), 1) }
        return file.data
    }

    /// Further pages that share a text of four megabytes.
    @Sendable static func pages() -> Data {
        var file = pixel
        let textByteCount = 4_000_000
        file.strips[0] += [UInt8](repeating: 0x61, count: textByteCount)
        file.nextDirectory = file.data.count
        var data = file.data
        for _ in 0..<2_000 {
            let next = data.count + 2 + 3 * 12 + 4
            data += littleEndian(3, 2)
            for tag in [256, 257] {
                data += littleEndian(tag, 2) + littleEndian(4, 2) + littleEndian(1) + littleEndian(1)
            }
            data += littleEndian(270, 2) + littleEndian(2, 2) + littleEndian(textByteCount) + littleEndian(8)
            data += littleEndian(next)
        }
        return data + littleEndian(0, 2) + littleEndian(0)
    }

    /// 506 scans in a tile.
    @Sendable static func scans() -> Data { scans(side: 8_000) }

    static func scans(side: Int) -> Data {
        var file = TIFFFile(width: side, height: side, compression: 7, strips: [])
        file.strips = [[UInt8](HostileJPEG.scans(side: side))]
        file.tileSize = (side, side)
        return file.data
    }

    /// A column of pixels, each in a tile of one megapixel with the same bytes.
    @Sendable static func tiles() -> Data {
        var file = TIFFFile(width: 1, height: 100_000_000, compression: 5, strips: [[0x80, 0, 1]])
        file.tileSize = (1024, 1024)
        let count = (100_000_000 + 1023) / 1024
        file.others[324] = (4, Data(repeating: 0, count: 4 * count), count)
        file.others[325] = (4, Data(repeating: 0, count: 4 * count), count)
        return file.data
    }

    /// A group 4 row for which the library allocates 144 MB.
    @Sendable static func faxRow() -> Data {
        TIFFFile(width: 9_000_000, bits: 1, photometric: 0, compression: 4, strips: [[0x80]]).data
    }
}
