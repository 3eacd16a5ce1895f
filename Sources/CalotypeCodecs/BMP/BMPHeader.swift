import CalotypeCore
import FoundationEssentials

/// The header of a bitmap of any version: the storage of its rows, and the data before them.
///
/// - SeeAlso: Microsoft, "Bitmap Header Types" and [MS-WMF] 2.2.2; IBM, OS/2 Presentation Manager,
///   `BITMAPINFOHEADER2`.
struct BMPHeader {
    /// The compression of the pixels; the raw values are those of Windows.
    enum Compression: UInt32 {
        case none = 0
        case runLength8 = 1
        case runLength4 = 2
        case bitFields = 3
        case jpeg = 4
        case png = 5
        case alphaBitFields = 6

        var isRunLength: Bool { self == .runLength8 || self == .runLength4 }
        var hasMasks: Bool { self == .bitFields || self == .alphaBitFields }
        /// True if the pixels are a file of another format.
        var isFile: Bool { self == .jpeg || self == .png }
    }

    /// The size of the header, including masks that may follow it.
    let byteCount: Int
    let width: Int
    /// The number of rows; twice that of the image in an icon.
    let rowCount: Int
    /// True if the first stored row is the top one.
    let isTopDown: Bool
    /// 1, 2, 4, 8, 16, 24 or 32; undefined if the pixels are a file of another format.
    let bitsPerPixel: Int
    let compression: Compression
    /// The stated number of bytes of pixels; 0 if not stated.
    let pixelByteCount: Int
    /// The stated number of palette colours; 0 for the maximum of the bit depth.
    let statedColorCount: Int
    /// 3 in the oldest version, else 4.
    let colorByteCount: Int
    /// The channels of a pixel; unused with a palette.
    var masks: BMPMasks
    /// The range of the colour profile, relative to the start of the header; `nil` without one.
    let profile: Range<Int>?

    init(_ bitmap: Data) throws(DecodeError) {
        let fields = try BMPFields(bitmap)
        let sides = fields.sides
        width = sides.width
        rowCount = abs(sides.height)
        isTopDown = sides.height < 0
        bitsPerPixel = fields.bitsPerPixel
        compression = try fields.compression()
        pixelByteCount = fields.unsigned(at: 20)
        statedColorCount = fields.unsigned(at: 32)
        colorByteCount = fields.isCore ? 3 : 4
        profile = fields.profile
        (byteCount, masks) = try fields.masks(compression, bitmap)
        try checkDepth()
    }

    /// True if the pixels are indices into a palette.
    var hasPalette: Bool { bitsPerPixel <= 8 && !compression.isFile }

    var colorCount: Int {
        let most = 1 << bitsPerPixel
        return statedColorCount == 0 ? most : min(most, statedColorCount)
    }

    /// The distance between rows in bytes: a multiple of 4.
    var rowByteCount: Int { (width * bitsPerPixel + 31) / 32 * 4 }

    /// Returns the bytes of a number of rows; the padding of the last one may be missing.
    func byteCount(ofRows rowCount: Int) -> Int {
        rowByteCount * (rowCount - 1) + (width * bitsPerPixel + 7) / 8
    }

    private func checkDepth() throws(DecodeError) {
        let allowed: [Int] =
            switch compression {
            case .none: [1, 2, 4, 8, 16, 24, 32]
            case .runLength8: [8]
            case .runLength4: [4]
            case .bitFields, .alphaBitFields: [16, 32]
            case .jpeg, .png: [bitsPerPixel]
            }
        guard allowed.contains(bitsPerPixel) else {
            throw DecodeError(
                bitsPerPixel == 64 ? .unsupportedFeature : .corrupt,
                format: .bmp,
                detail: "\(bitsPerPixel) bits a pixel in compression \(compression), not one of \(allowed)"
            )
        }
        guard !(isTopDown && compression.isRunLength) else {
            throw DecodeError(.corrupt, format: .bmp, detail: "run lengths are not allowed in top-down rows")
        }
    }
}

extension DecodeError {
    static func truncatedBMP(_ detail: String) -> DecodeError {
        DecodeError(.truncated, format: .bmp, detail: detail)
    }

    static func corruptBMP(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .bmp, detail: detail)
    }
}
