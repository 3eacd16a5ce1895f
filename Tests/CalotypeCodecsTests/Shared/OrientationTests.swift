import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct OrientationTests {
    /// The stored position of a displayed pixel, after the definitions of EXIF 2.32 section 4.6.4.
    private func stored(_ orientation: Orientation, _ x: Int, _ y: Int, in size: PixelSize) -> (
        x: Int, y: Int
    ) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        switch orientation {
        case .up: return (x, y)
        case .upMirrored: return (right - x, y)
        case .down: return (right - x, bottom - y)
        case .downMirrored: return (x, bottom - y)
        case .leftMirrored: return (y, x)
        case .right: return (y, bottom - x)
        case .rightMirrored: return (right - y, bottom - x)
        case .left: return (right - y, x)
        }
    }

    private func png(_ image: Image, _ orientation: Orientation) throws -> Data {
        var parts = PNGParts(try PNGEncoder().tested.encode(image))
        parts.insert("eXIf", exifBlock(orientation: orientation.rawValue), before: "IDAT")
        return parts.data
    }

    @Test(arguments: Orientation.allCases, PixelFormat.eightBitFormats)
    func `each pixel moves to its oriented position`(orientation: Orientation, format: PixelFormat)
        throws
    {
        // Larger than one tile of the rotation in both directions.
        let image = TestImages.asymmetric(PixelSize(width: 45, height: 37), format: format)
        let shown = try PNGDecoder().tested.decode(png(image, orientation), options: DecodeOptions())
        #expect(shown.size == orientation.applied(to: image.size))
        #expect(shown.metadata.orientation == orientation && shown.metadata.isOrientationApplied)
        let (before, after, step) = (image.bytes, shown.bytes, format.bytesPerPixel)
        for y in 0..<shown.size.height {
            for x in 0..<shown.size.width {
                let source = stored(orientation, x, y, in: image.size)
                let from = (source.y * image.size.width + source.x) * step
                let to = (y * shown.size.width + x) * step
                #expect(before[from..<from + step] == after[to..<to + step], "at \(x), \(y)")
            }
        }
    }

    @Test func `a declined orientation is reported, and the pixels stay as stored`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 5, height: 3))
        let decoded = try PNGDecoder().tested.decode(
            png(image, .left),
            options: DecodeOptions(appliesOrientation: false)
        )
        #expect(decoded.size == image.size)
        #expect(decoded.bytes == image.bytes)
        #expect(decoded.metadata.orientation == .left)
        #expect(!decoded.metadata.isOrientationApplied)
    }

    @Test func `an orientation after the pixels is applied`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 5, height: 3))
        var parts = PNGParts(try PNGEncoder().tested.encode(image))
        parts.insert("eXIf", exifBlock(orientation: 6, isLittleEndian: true), before: "IEND")
        #expect(
            try PNGDecoder().tested.decode(parts.data, options: DecodeOptions()).size
                == PixelSize(width: 3, height: 5)
        )
        #expect(try PNGDecoder().tested.info(of: parts.data, limits: DecodeLimits()).orientation == .right)
    }

    @Test(arguments: Orientation.allCases, [false, true])
    func `the Exif segment of a JPEG is read in both byte orders`(orientation: Orientation, little: Bool)
        throws
    {
        let file = try JPEGEncoder().tested.encode(TestImages.photograph(PixelSize(width: 40, height: 24)))
        let block = exifBlock(orientation: orientation.rawValue, isLittleEndian: little)
        let turned = jpeg(file, inserting: 0xE1, Data("Exif\0\0".utf8) + block)
        let info = try JPEGDecoder().tested.info(of: turned, limits: DecodeLimits())
        #expect(info.orientation == orientation)
        #expect(info.size == PixelSize(width: 40, height: 24))
        #expect(try JPEGDecoder().tested.decode(turned, options: DecodeOptions()).size == info.displaySize)
    }

    @Test func `a damaged Exif block is ignored`() throws {
        let file = try JPEGEncoder().tested.encode(TestImages.photograph(PixelSize(width: 40, height: 24)))
        let block = exifBlock(orientation: 6)
        var blocks = (0..<block.count - 6).map { block.prefix($0) }
        blocks += [exifBlock(orientation: 0), exifBlock(orientation: 9), exifBlock(orientation: 65535)]
        blocks.append(block.prefix(4) + Data([0xFF, 0xFF, 0xFF, 0xFF]) + block.dropFirst(8))
        for damaged in blocks {
            let data = jpeg(file, inserting: 0xE1, Data("Exif\0\0".utf8) + damaged)
            #expect(try JPEGDecoder().tested.info(of: data, limits: DecodeLimits()).orientation == .up)
        }
    }
}
