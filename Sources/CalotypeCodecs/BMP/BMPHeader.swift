import CalotypeCore
import FoundationEssentials

/// The header of a bitmap, of whichever version: how its rows are kept, and what lies between it and them.
///
/// - SeeAlso: Microsoft, "Bitmap Header Types" and [MS-WMF] 2.2.2; IBM, OS/2 Presentation Manager,
///   `BITMAPINFOHEADER2`.
struct BMPHeader {
    /// How the pixels are kept; the raw values are those of Windows.
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
        /// Whether the pixels are a file of another format.
        var isFile: Bool { self == .jpeg || self == .png }
    }

    /// Bytes of the header, with the masks that may follow it.
    let byteCount: Int
    let width: Int
    /// Rows; for the image of an icon twice as many as it has.
    let rowCount: Int
    /// Whether the first row that is kept is the top one.
    let isTopDown: Bool
    /// 1, 2, 4, 8, 16, 24 or 32; anything where the pixels are a file of another format.
    let bitsPerPixel: Int
    let compression: Compression
    /// Bytes of the pixels as stated; 0 where nothing is.
    let pixelByteCount: Int
    /// Colours in the palette as stated; 0 for as many as the bits can tell apart.
    let statedColorCount: Int
    /// 3 in the oldest version, else 4.
    let colorByteCount: Int
    /// Where the channels of a pixel lie; of no meaning where there is a palette.
    var masks: BMPMasks
    /// Where the colour profile lies, counted from the start of the header; `nil` for none.
    let profile: Range<Int>?

    /// Reads the header at the start of `bitmap`.
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

    /// Whether the pixels are indices into a palette.
    var hasPalette: Bool { bitsPerPixel <= 8 && !compression.isFile }

    /// Colours that the palette should have.
    var colorCount: Int {
        let most = 1 << bitsPerPixel
        return statedColorCount == 0 ? most : min(most, statedColorCount)
    }

    /// From one row to the next: a multiple of 4.
    var rowByteCount: Int { (width * bitsPerPixel + 31) / 32 * 4 }

    /// What the rows of a size take; the padding of the last one may be missing.
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
            throw DecodeError(.corrupt, format: .bmp, detail: "run lengths in rows from top to bottom")
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
