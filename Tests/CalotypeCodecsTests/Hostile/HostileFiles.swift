import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials

/// A small file that costs a careless decoder much.
struct HostileFile: Sendable, CustomStringConvertible {
    let name: String
    let format: ImageFormat
    let data: @Sendable () throws -> Data
    /// The acceptable errors.
    let codes: Set<DecodeError.Code>
    /// Whether a complete image is acceptable too.
    var mayDecode = false
    /// The claimed bytes of pixels if they are within the limits: they may be allocated.
    var claimedByteCount = 0

    var description: String { "\(format): \(name)" }

    /// Formats without a decoder are skipped; their files are for future codecs.
    static let all = png + jpeg + bitmaps + tiff + animations + containers

    private static let beyond: Set<DecodeError.Code> = [.limitExceeded]

    private static let png: [HostileFile] = [
        HostileFile(
            name: "65535×65535",
            format: .png,
            data: { try LimitTests.png(width: 65_535, height: 65_535) },
            codes: beyond
        ),
        HostileFile(
            name: "30000×30000 of one bit, whole",
            format: .png,
            data: HostilePNG.large,
            codes: beyond
        ),
        HostileFile(
            name: "200 MB of pixels in 8×8",
            format: .png,
            data: HostilePNG.endlessPixels,
            codes: [.corrupt, .truncated],
            mayDecode: true
        ),
        HostileFile(
            name: "zTXt of 200 MB",
            format: .png,
            data: { try HostilePNG.inflating("zTXt", Data("Comment\0\0".utf8)) },
            codes: [.corrupt, .limitExceeded],
            mayDecode: true
        ),
        HostileFile(
            name: "iCCP of 200 MB",
            format: .png,
            data: { try HostilePNG.inflating("iCCP", Data("Profile\0\0".utf8)) },
            codes: [.corrupt, .limitExceeded],
            mayDecode: true
        ),
        HostileFile(
            name: "iTXt of 200 MB",
            format: .png,
            data: { try HostilePNG.inflating("iTXt", Data("Comment\0\u{1}\0\0\0".utf8)) },
            codes: [.corrupt, .limitExceeded],
            mayDecode: true
        ),
        HostileFile(
            name: "a profile of 100,000 steps",
            format: .png,
            data: HostilePNG.profile,
            codes: [],
            mayDecode: true
        ),
        HostileFile(
            name: "10,001 frames and 300,000 of their chunks",
            format: .png,
            data: HostilePNG.frameControls,
            codes: beyond
        ),
        HostileFile(
            name: "4 billion frames",
            format: .png,
            data: HostilePNG.frames,
            codes: [.limitExceeded, .corrupt]
        ),
    ]

    private static let jpeg: [HostileFile] = [
        HostileFile(
            name: "65535×65535",
            format: .jpeg,
            data: { try HostileJPEG.sized(65_535, 65_535) },
            codes: [.limitExceeded, .corrupt, .unsupportedFeature]
        ),
        HostileFile(
            name: "506 scans of 8000×8000",
            format: .jpeg,
            data: { HostileJPEG.scans(side: 8_000) },
            codes: beyond,
            claimedByteCount: 64_000_000
        ),
        HostileFile(
            name: "entropy of noise in 10000×10000",
            format: .jpeg,
            data: HostileJPEG.noise,
            codes: [.corrupt, .truncated]
        ),
    ]

    private static let bitmaps: [HostileFile] = [
        HostileFile(
            name: "65535×65535",
            format: .bmp,
            data: { HostileBitmap.sized(65_535, 65_535) },
            codes: beyond
        ),
        HostileFile(
            name: "the least height there is",
            format: .bmp,
            data: { HostileBitmap.sized(1, Int(Int32.min)) },
            codes: beyond
        ),
        HostileFile(
            name: "a negative width",
            format: .bmp,
            data: { HostileBitmap.sized(-5, 5) },
            codes: [.corrupt]
        ),
        HostileFile(
            name: "10000×10000 without pixels",
            format: .bmp,
            data: { HostileBitmap.sized(10_000, 10_000) },
            codes: [.truncated]
        ),
        HostileFile(name: "moves over 100 MP", format: .bmp, data: HostileBitmap.moves, codes: [.truncated]),
        HostileFile(name: "100 MP of nothing", format: .bmp, data: HostileBitmap.blank, codes: beyond),
        HostileFile(
            name: "a palette beyond the file",
            format: .bmp,
            data: HostileBitmap.palette,
            codes: [.truncated]
        ),
        HostileFile(
            name: "65535×65535 in a PNG",
            format: .ico,
            data: { IconParts([try LimitTests.png(width: 65_535, height: 65_535)]).data },
            codes: beyond
        ),
        HostileFile(
            name: "65535×32767 in a bitmap",
            format: .ico,
            data: { IconParts([HostileBitmap.parts(65_535, 65_535).bitmap]).data },
            codes: beyond
        ),
        HostileFile(
            name: "1024 images that are one",
            format: .ico,
            data: HostileBitmap.icon,
            codes: [],
            mayDecode: true
        ),
        HostileFile(
            name: "65535×65535",
            format: .tiff,
            data: HostileBitmap.tiff,
            codes: [.limitExceeded, .corrupt, .truncated]
        ),
    ]

    private static let tiff: [HostileFile] = [
        HostileFile(
            name: "tags that are the same",
            format: .tiff,
            data: HostileTIFF.sharedTags,
            codes: beyond
        ),
        HostileFile(
            name: "a tag of four million values",
            format: .tiff,
            data: HostileTIFF.longTag,
            codes: [.corrupt],
            mayDecode: true
        ),
        HostileFile(
            name: "4000 tags",
            format: .tiff,
            data: { HostileTIFF.tags(4_000) },
            codes: beyond
        ),
        HostileFile(
            name: "2000 pages with 4 MB of text",
            format: .tiff,
            data: HostileTIFF.pages,
            codes: [],
            mayDecode: true
        ),
        HostileFile(
            name: "506 scans in a tile",
            format: .tiff,
            data: HostileTIFF.scans,
            codes: beyond,
            claimedByteCount: 64_000_000
        ),
        HostileFile(name: "a column of large tiles", format: .tiff, data: HostileTIFF.tiles, codes: beyond),
        HostileFile(name: "a fax of 9 MP a row", format: .tiff, data: HostileTIFF.faxRow, codes: beyond),
    ]

    private static let animations: [HostileFile] = [
        HostileFile(
            name: "65535×65535",
            format: .gif,
            data: { HostileGIF.data(width: 65_535, height: 65_535, frameCount: 1, frameSide: 65_535) },
            codes: [.limitExceeded]
        ),
        HostileFile(
            name: "100,000 frames",
            format: .gif,
            data: { HostileGIF.data(width: 8, height: 8, frameCount: 100_000) },
            codes: [.limitExceeded]
        ),
        HostileFile(
            name: "5000 frames of 2000×2000",
            format: .gif,
            data: { HostileGIF.data(width: 2_000, height: 2_000, frameCount: 5_000) },
            codes: [.limitExceeded]
        ),
        HostileFile(
            name: "16383×16383 without loss",
            format: .webP,
            data: HostileContainer.webP,
            codes: [.limitExceeded]
        ),
        HostileFile(
            name: "a canvas of 16777216×16777216",
            format: .webP,
            data: HostileContainer.webPCanvas,
            codes: [.limitExceeded, .corrupt, .truncated]
        ),
    ]

    private static let containers: [HostileFile] = [
        HostileFile(
            name: "65535×65535",
            format: .avif,
            data: { HostileContainer.heif(brand: "avif", item: "av01", configuration: "av1C") },
            codes: [.limitExceeded, .corrupt, .truncated]
        ),
        HostileFile(
            name: "65535×65535",
            format: .heic,
            data: { HostileContainer.heif(brand: "heic", item: "hvc1", configuration: "hvcC") },
            codes: [.limitExceeded, .corrupt, .truncated, .unsupportedFeature]
        ),
        HostileFile(
            name: "65536×65536 in a codestream",
            format: .jpegXL,
            data: HostileContainer.jpegXL,
            codes: [.limitExceeded, .corrupt, .truncated]
        ),
    ]
}
