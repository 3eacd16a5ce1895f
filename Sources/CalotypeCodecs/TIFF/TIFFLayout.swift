import CalotypeCore
import FoundationEssentials

/// The tags of the first page, checked before the library reads the file.
struct TIFFLayout {
    /// The file reduced to its first page.
    let file: Data
    let size: PixelSize
    /// The orientation in tag 274; upright if it is absent or invalid.
    let orientation: Orientation
    let copyright: Copyright?
    /// True if the sample after the colours is alpha.
    ///
    /// A sample that is not declared as alpha does not count, as defined by TIFF 6.0 section 18.
    let hasAlpha: Bool
    /// The bits of a sample; 8 for palettes.
    let bitDepth: Int
    let compression: Compression
    let pieces: TIFFPieces
    /// True if the lowest bit of a byte comes first, in bit-packed codes.
    let isReversed: Bool
    /// The tables shared by all JPEG pieces, between a start and an end marker.
    let jpegTables: Range<Int>?
    private let tags: TIFFTags

    /// The supported compressions.
    ///
    /// Others are rare, and their decoders are hardly tested against hostile files.
    enum Compression: Int {
        case none = 1
        case ccittRunLengths = 2
        case ccittGroup3 = 3
        case ccittGroup4 = 4
        case lzw = 5
        case jpeg = 7
        case deflate = 8
        case packBits = 32773
        case oldDeflate = 32946
        case lzma = 34925
        case zstandard = 50000
        case webP = 50001

        var isFax: Bool { [.ccittRunLengths, .ccittGroup3, .ccittGroup4].contains(self) }
    }

    /// Reads the tags.
    ///
    /// - Throws: `DecodeError`, also if pixels lie beyond the end of the file.
    init(_ file: Data) throws(DecodeError) {
        guard TIFFHeader(file)?.isPanasonic != true else { throw .corruptTIFF("the version is 85") }
        tags = try TIFFTags(file)
        guard let width = try tags.integer(256), let height = try tags.integer(257) else {
            throw .corruptTIFF("the directory states no size")
        }
        size = PixelSize(width: min(width, Int(Int32.max)), height: min(height, Int(Int32.max)))
        orientation = Orientation(rawValue: try tags.integer(274) ?? 1) ?? .up
        // Twice the retained length, so that a character at the cut is not lost.
        let maxText = 2 * Copyright.maxByteCount
        copyright = Copyright(
            artist: tags.text(315, maxByteCount: maxText),
            notice: tags.text(33432, maxByteCount: maxText)
        )
        hasAlpha = [1, 2].contains(try tags.integer(338) ?? 0)
        bitDepth = try tags.integer(262) == 3 ? 8 : tags.integer(258) ?? 1
        jpegTables = tags.bytes(347)
        isReversed = try tags.integer(266) == 2
        compression = try Self.compression(tags)
        pieces = try TIFFPieces(tags, image: size)
        self.file = try Self.firstPage(of: file, tags)
        try checkFeatures()
    }

    /// Removes other pages: the library reads the directories of all pages to count them, and copies their
    /// texts.
    private static func firstPage(of file: Data, _ tags: TIFFTags) throws(DecodeError) -> Data {
        let link = tags.nextDirectory
        let bytes = file.span
        guard link.contains(where: { bytes[$0] != 0 }) else { return file }
        return try file.copy(replacing: link, with: [UInt8](repeating: 0, count: link.count))
    }

    /// Checks the cost of decoding, and that every strip or tile lies in the file.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        try limits.checkSize(size, format: .tiff)
        // The library decodes strips and rows of tiles as they are stored.
        let (bits, sampleCount) = (try tags.integer(258) ?? 1, try tags.integer(277) ?? 1)
        guard bits <= 64, sampleCount <= Self.maxSampleCount else {
            throw .limitTIFF(
                "\(sampleCount) samples of \(bits) bits, the limit is \(Self.maxSampleCount) of 64"
            )
        }
        try checkTiles(limits)
        try checkEnd()
    }

    /// A tile is decoded completely, even if only a small part lies in the image.
    private func checkTiles(_ limits: DecodeLimits) throws(DecodeError) {
        guard pieces.isTiled else { return }
        let double = size.pixelCount.multipliedReportingOverflow(by: 2)
        let twice = double.overflow ? Int.max : double.partialValue
        let (tile, extent) = (pieces.size, pieces.extent)
        guard tile.width <= max(Self.maxTilePixelCount, twice) / tile.height,
            extent.width <= max(limits.maxPixelCount, twice) / extent.height
        else { throw .limitTIFF("tiles of \(tile) pixels in an image of \(size)") }
    }

    private static let maxSampleCount = 8
    /// The maximum pixels of a tile that is larger than the image.
    private static let maxTilePixelCount = 1 << 20

    private func checkEnd() throws(DecodeError) {
        for index in 0..<pieces.count {
            guard let bytes = try pieces.bytes(at: index) else { return }
            guard bytes.upperBound <= file.count else {
                throw DecodeError(
                    .truncated,
                    format: .tiff,
                    detail: "pixels at byte \(bytes.lowerBound) to \(bytes.upperBound) of \(file.count)"
                )
            }
        }
    }
}

// MARK: - Features

extension TIFFLayout {
    private static func compression(_ tags: TIFFTags) throws(DecodeError) -> Compression {
        let stated = try tags.integer(259) ?? 1
        guard let compression = Compression(rawValue: stated) else {
            throw .unsupportedTIFF("compression \(stated)")
        }
        return compression
    }

    /// Rejects features that the library does not decode, or decodes wrongly; its own errors have no codes.
    private func checkFeatures() throws(DecodeError) {
        let colors = try tags.integer(262) ?? 1
        let isPlanar = try tags.integer(284) == 2
        // libvips treats YCbCr as RGB unless libjpeg converts it.
        guard colors != 6 || (compression == .jpeg && !isPlanar) else {
            throw .unsupportedTIFF("YCbCr without JPEG compression")
        }
        guard !(isPlanar && pieces.isTiled) else { throw .unsupportedTIFF("tiles in separate planes") }
        guard ![32_844, 32_845].contains(colors) else { throw .unsupportedTIFF("logarithmic luminance") }
        let (bits, sampleCount) = (try tags.integer(258) ?? 1, try tags.integer(277) ?? 1)
        let depths: [Int] =
            switch colors {
            case 3: [1, 2, 4, 8, 16]
            case 0, 1: sampleCount == 1 || isPlanar ? [1, 2, 4, 8, 16, 32] : [8, 16, 32]
            default: [8, 16, 32]
            }
        guard depths.contains(bits) else {
            throw .unsupportedTIFF("\(sampleCount) samples of \(bits) bits in colours \(colors)")
        }
        let isFloat = try tags.integer(339) == 3
        guard !isFloat || ![8, 16].contains(bits) || [3, 8].contains(colors) else {
            throw .unsupportedTIFF("floating point of \(bits) bits")
        }
    }
}

extension DecodeError {
    static func corruptTIFF(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .tiff, detail: detail)
    }

    static func limitTIFF(_ detail: String) -> DecodeError {
        DecodeError(.limitExceeded, format: .tiff, detail: detail)
    }

    static func unsupportedTIFF(_ detail: String) -> DecodeError {
        DecodeError(.unsupportedFeature, format: .tiff, detail: "unsupported TIFF: \(detail)")
    }
}
