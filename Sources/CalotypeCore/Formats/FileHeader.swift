import FoundationEssentials

/// The first bytes of a file, for recognizing its format.
struct FileHeader {
    /// The prefix that contains the magic numbers of all formats but SVG.
    static let maxByteCount = 1100

    let bytes: [UInt8]
    private let file: Data

    init(_ data: Data) {
        bytes = [UInt8](data.prefix(Self.maxByteCount))
        file = data
    }

    func isStart(of format: ImageFormat) -> Bool {
        switch format {
        case .jpeg: isJPEG
        case .png: starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .gif: starts(with: Array("GIF87a".utf8)) || starts(with: Array("GIF89a".utf8))
        case .webP: starts(with: Array("RIFF".utf8)) && has(Array("WEBPVP8".utf8), at: 8)
        case .avif: heifBrand == .avif
        case .heic: heifBrand == .heic
        case .jpegXL: isJPEGXL
        case .tiff: isTIFF
        case .bmp: isBMP
        case .ico: isIcon
        case .svg: SVGProlog.leadsToSVG(file)
        default: false
        }
    }

    // MARK: - Reading

    func starts(with magic: [UInt8]) -> Bool { has(magic, at: 0) }

    func has(_ magic: [UInt8], at offset: Int) -> Bool {
        offset + magic.count <= bytes.count && bytes[offset..<offset + magic.count].elementsEqual(magic)
    }

    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset + byteCount <= bytes.count else { return nil }
        return bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: - Formats

    /// SOI and the first byte of a marker that may follow it: not a restart marker, an end marker or a fill
    /// byte.
    private var isJPEG: Bool {
        guard starts(with: [0xFF, 0xD8, 0xFF]), bytes.count > 3 else { return false }
        return bytes[3] >= 0xC0 && !(0xD0...0xD9).contains(bytes[3])
    }

    /// TIFF 6.0 section 2; BigTIFF has version 43, an offset size of 8 bytes and a zero.
    private var isTIFF: Bool {
        starts(with: [0x49, 0x49, 0x2A, 0]) || starts(with: [0x4D, 0x4D, 0, 0x2A])
            || starts(with: [0x49, 0x49, 0x2B, 0, 8, 0, 0, 0])
            || starts(with: [0x4D, 0x4D, 0, 0x2B, 0, 8, 0, 0])
    }

    /// `BM` alone is too weak: the following header must have one of the sizes ever in use.
    private var isBMP: Bool {
        guard starts(with: [0x42, 0x4D]), let headerSize = littleEndian(at: 14, byteCount: 4) else {
            return false
        }
        return headerSize == 12 || (16...64).contains(headerSize) || [108, 124].contains(headerSize)
    }

    /// True for a directory of icons or cursors with entries, whose first image lies after the directory and
    /// is not empty.
    ///
    /// The reserved byte of an entry is 0, but some writers store 255.
    private var isIcon: Bool {
        guard starts(with: [0, 0, 1, 0]) || starts(with: [0, 0, 2, 0]),
            let entryCount = littleEndian(at: 4, byteCount: 2), (1...1024).contains(entryCount),
            let reserved = littleEndian(at: 9, byteCount: 1), [0, 255].contains(reserved),
            let byteCount = littleEndian(at: 14, byteCount: 4), byteCount >= 40,
            let offset = littleEndian(at: 18, byteCount: 4), offset >= 6 + 16 * entryCount
        else { return false }
        return true
    }
}
