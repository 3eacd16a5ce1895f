import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import TestTraits
import Testing

@Suite(.blocking) struct ResamplerTests {
    @Test(
        arguments: [(1, 1), (2, 77), (64, 48), (63, 47), (31, 1), (100, 48), (200, 150)],
        PixelFormat.allCases
    )
    func `the result has exactly the size that was asked for`(side: (Int, Int), format: PixelFormat) throws {
        let image = TestPictures.photograph(PixelSize(width: 64, height: 48), format: format)
        let size = PixelSize(width: side.0, height: side.1)
        let resized = try Resampler.resize(image, to: size)
        #expect(resized.size == size)
        #expect(resized.pixelFormat == format)
    }

    @Test func `what is transparent lends no colour to an edge`() throws {
        let disc = TestPictures.disc(
            PixelSize(width: 301, height: 299),
            color: RGBColor(red: 230, green: 20, blue: 10)
        )
        let small = try Resampler.resize(disc, to: PixelSize(width: 37, height: 36))
        let bytes = small.bytes
        var edgeCount = 0
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 12 {
            if bytes[pixel + 3] < 240 { edgeCount += 1 }
            #expect(abs(Int(bytes[pixel]) - 230) <= 1)
            #expect(abs(Int(bytes[pixel + 1]) - 20) <= 1)
            #expect(abs(Int(bytes[pixel + 2]) - 10) <= 1)
        }
        #expect(edgeCount > 20)
    }

    @Test(arguments: PixelFormat.allCases)
    func `one colour stays that colour`(format: PixelFormat) throws {
        let bytes: [UInt8] = Array([200, 100, 50, 128].prefix(format.bytesPerPixel))
        let size = PixelSize(width: 90, height: 70)
        let all = Array(repeatElement(bytes, count: size.pixelCount).joined())
        let pixels = PixelBuffer(byteCount: all.count) { $0.copyBytes(from: all) }
        let image = Image(size: size, pixelFormat: format, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 13, height: 11))
        for (index, byte) in small.bytes.enumerated() {
            #expect(abs(Int(byte) - Int(bytes[index % bytes.count])) <= 1)
        }
    }

    @Test func `halving a checked pattern gives its mean and keeps its edges sharp`() throws {
        // Left half black, right half white: the step must not be smeared over more than the filter's three
        // lobes.
        let size = PixelSize(width: 80, height: 8)
        let row = (0..<80).map { UInt8($0 < 40 ? 0 : 255) }
        let all = Array(repeatElement(row, count: 8).joined())
        let pixels = PixelBuffer(byteCount: all.count) { $0.copyBytes(from: all) }
        let image = Image(size: size, pixelFormat: .gray8, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 40, height: 4)).bytes
        #expect(small[0..<15].allSatisfy { $0 <= 2 })
        #expect(small[25..<40].allSatisfy { $0 >= 253 })
        #expect(small[19] < 60 && small[20] > 195)
    }

    @Test func `scale format and metadata stay`() throws {
        let metadata = ImageMetadata(orientation: .left, isOrientationApplied: false, hasColorProfile: true)
        let source = TestPictures.photograph(PixelSize(width: 20, height: 20))
        let image = Image(
            size: source.size,
            pixelFormat: source.pixelFormat,
            pixels: source.pixels,
            scale: 3,
            format: .webP,
            metadata: metadata
        )
        let resized = try Resampler.resize(image, to: PixelSize(width: 10, height: 10))
        #expect(resized.scale == 3 && resized.format == .webP && resized.metadata == metadata)
    }
}
