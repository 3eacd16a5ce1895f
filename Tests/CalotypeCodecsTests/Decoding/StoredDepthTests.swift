import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct StoredDepthTests {
    private let codecs = CodecRegistry.tested
    private let kept = DecodeOptions(keepsDepth: true)

    /// Different pixels, with levels that 8 bits cannot distinguish.
    static func integers(_ size: PixelSize, isOpaque: Bool = false) -> Image {
        image(size, .rgba16) { x, y in
            let index = UInt16(truncatingIfNeeded: y * size.width + x)
            return SIMD4(
                index &* 37 &+ 5,
                index &* 211,
                UInt16(y) &* 997,
                isOpaque ? .max : 65_535 - index &* 90
            )
        }
    }

    /// With colours outside 0...1.
    static func halves(_ size: PixelSize) -> Image {
        image(size, .rgbaF16) { x, y in
            let fraction = Float16(x) / Float16(size.width)
            let pixel = SIMD4<Float16>(
                fraction * 4 - 1,
                fraction * fraction,
                Float16(y) / 8,
                1 - fraction / 2
            )
            return SIMD4(pixel.x.bitPattern, pixel.y.bitPattern, pixel.z.bitPattern, pixel.w.bitPattern)
        }
    }

    static func image(
        _ size: PixelSize,
        _ format: PixelFormat,
        _ colorSpace: ColorSpace = .sRGB,
        _ pixel: (Int, Int) -> SIMD4<UInt16>
    ) -> Image {
        let pixels = (0..<size.pixelCount).map { pixel($0 % size.width, $0 / size.width) }
        let buffer = PixelBuffer(byteCount: size.pixelCount * 8) { target in
            pixels.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        return Image(
            size: size,
            pixelFormat: format,
            pixels: buffer,
            metadata: ImageMetadata(colorSpace: colorSpace)
        )
    }

    private static let size = PixelSize(width: 24, height: 17)

    @Test func `the cost of an image follows its pixel depth`() {
        #expect(Self.integers(Self.size).cost == 24 * 17 * 8)
        #expect(Self.halves(Self.size).bytesPerRow == 24 * 8)
        #expect(PixelFormat.rgba16.bytesPerPixel == 8 && PixelFormat.rgbaF16.bytesPerPixel == 8)
    }

    @Test(arguments: [false, true])
    func `16 bits round-trip through a PNG, interlaced or not`(isInterlaced: Bool) throws {
        for isOpaque in [false, true] {
            let image = Self.integers(Self.size, isOpaque: isOpaque)
            let data = try PNGEncoder(isInterlaced: isInterlaced).tested.encode(image)
            let decoded = try codecs.decode(data, options: kept)
            #expect(decoded.pixelFormat == .rgba16 && decoded.bytes == image.bytes)
            let info = try codecs.info(of: data)
            #expect(info.bitDepth == 16 && info.hasAlpha == !isOpaque)
            let ordinary = try codecs.decode(data)
            #expect(ordinary.pixelFormat == (isOpaque ? .rgb8 : .rgba8))
            #expect(ordinary.rgba8() == image.rgba8())
        }
    }

    @Test func `16 bits and floats round-trip through a TIFF`() throws {
        for image in [Self.integers(Self.size), Self.halves(Self.size)] {
            for compression in [TIFFEncoder.Compression.none, .lzw, .deflate] {
                let data = try TIFFEncoder(compression: compression).tested.encode(image)
                let decoded = try codecs.decode(data, options: kept)
                #expect(decoded.pixelFormat == image.pixelFormat && decoded.bytes == image.bytes)
                #expect(try codecs.decode(data).pixelFormat == .rgba8)
            }
        }
    }

    @Test func `16 bits and floats round-trip through a lossless JPEG XL`() throws {
        for image in [Self.integers(Self.size), Self.halves(Self.size)] {
            let data = try JPEGXLEncoder(isLossless: true, effort: 3).tested.encode(image)
            let decoded = try codecs.decode(data, options: kept)
            #expect(decoded.pixelFormat == image.pixelFormat && decoded.bytes == image.bytes)
            #expect(try codecs.decode(data).pixelFormat == .rgba8)
        }
    }

    @Test(arguments: [10, 12]) func `an AVIF stores 10 or 12 of the 16 bits`(bitDepth: Int) throws {
        let image = Self.integers(Self.size)
        var encoder = AVIFEncoder(isLossless: true, speed: 10)
        encoder.deepBitDepth = bitDepth
        let data = try encoder.encode(image)
        #expect(try codecs.info(of: data).bitDepth == bitDepth)
        let decoded = try codecs.decode(data, options: kept)
        #expect(decoded.pixelFormat == .rgba16)
        let step = 65_535 / ((1 << bitDepth) - 1)
        #expect(Self.largestDifference(decoded, image) <= step)
        encoder.deepBitDepth = 9
        #expect(throws: EncodeError.self) { try encoder.encode(image) }
        #expect(encoder.cacheIdentity != AVIFEncoder(isLossless: true, speed: 10).cacheIdentity)
    }

    private static func largestDifference(_ image: Image, _ other: Image) -> Int {
        zip(image.channels, other.channels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    @Test func `encoders of 8 bits round, and write the same file as for an 8-bit image`() throws {
        let deep = Self.integers(Self.size)
        let shallow = try deep.reducedToEightBits()
        #expect(shallow.pixelFormat == .rgba8 && shallow.rgba8() == deep.rgba8())
        let encoders: [any ImageEncoder] = [
            JPEGEncoder(), WebPEncoder(isLossless: true), GIFEncoder(), BMPEncoder(),
        ]
        for encoder in encoders {
            #expect(try encoder.encode(deep) == encoder.encode(shallow), "\(encoder.format)")
        }
        #expect(try Self.integers(Self.size, isOpaque: true).reducedToEightBits().pixelFormat == .rgb8)
    }

    @Test func `floats beyond black and white are clamped in 8 or 16 bits`() throws {
        let image = Self.halves(Self.size)
        let levels = [UInt8](image.rgba8())
        #expect(levels[0] == 0 && levels[23 * 4] == 255)
        let png = try codecs.decode(try PNGEncoder().tested.encode(image), options: kept)
        #expect(png.pixelFormat == .rgba16 && png.rgba8() == image.rgba8())
    }

    @Test func `files of 8 bits are unchanged if depth is retained`() throws {
        let photograph = TestImages.photograph(Self.size)
        for encoder in [PNGEncoder(), JPEGEncoder(), TIFFEncoder(), WebPEncoder()] as [any ImageEncoder] {
            let data = try encoder.encode(photograph)
            #expect(try codecs.decode(data, options: kept).bytes == codecs.decode(data).bytes)
        }
    }

    @Test func `depth is retained through orientation, target and chunks`() throws {
        let image = Self.integers(Self.size, isOpaque: true)
        let data = try PNGEncoder().tested.encode(image)
        var small = kept
        small.target = .fit(width: 12)
        let decoded = try codecs.decode(data, options: small)
        #expect(decoded.size.width == 12 && decoded.pixelFormat == .rgba16)
        small.target = .fitBytes(Self.size.pixelCount * 4)
        #expect(try codecs.decode(data, options: small).pixels.byteCount <= Self.size.pixelCount * 4)
        for options in [kept, small] {
            let pieces = try decodePiecewise(data, .bytes, options) { #expect(!$0.image.pixelFormat.isDeep) }
            #expect(pieces.bytes == (try codecs.decode(data, options: options)).bytes)
        }
    }

    @Test func `a resize of 16 bits matches that of 8 bits`() throws {
        let photograph = TestImages.photograph(PixelSize(width: 90, height: 60))
        let deep = Self.image(photograph.size, .rgba16) { x, y in
            let start = (y * 90 + x) * 3
            let bytes = photograph.bytes[start..<start + 3].map { UInt16($0) * 257 }
            return SIMD4(bytes[0], bytes[1], bytes[2], .max)
        }
        let options = DecodeOptions(target: .fit(width: 31), keepsDepth: true)
        let data = try PNGEncoder().tested.encode(deep)
        let small = try codecs.decode(data, options: options)
        let ordinary = try codecs.decode(data, options: DecodeOptions(target: .fit(width: 31)))
        #expect(small.size == ordinary.size)
        let difference = zip(small.rgba8(), ordinary.rgba8()).map { abs(Int($0) - Int($1)) }
        #expect(difference.max() ?? 0 <= 3)
        #expect(Double(difference.reduce(0, +)) / Double(difference.count) < 0.5)
    }

    @Test func `wide gamut and high range are retained on request, and reported`() throws {
        let space = ColorSpace.displayP3
        let image = Self.image(Self.size, .rgba16, space) { x, y in
            SIMD4(UInt16(x * 2730), UInt16(y * 4095), 9000, .max)
        }
        let stored = DecodeOptions(convertsToSRGB: false, keepsDepth: true)
        var avif = AVIFEncoder(isLossless: true, speed: 10)
        avif.deepBitDepth = 12
        let files = [
            try PNGEncoder().tested.encode(image),
            try JPEGXLEncoder(isLossless: true, effort: 3).tested.encode(image),
            try avif.encode(image),
        ]
        for data in files {
            let decoded = try codecs.decode(data, options: stored)
            #expect(decoded.colorSpace == space && decoded.pixelFormat == .rgba16, "\(decoded)")
            #expect(Self.largestDifference(decoded, image) <= 16)
            let converted = try codecs.decode(data, options: kept)
            #expect(converted.colorSpace == .sRGB)
            // The green of P3 is outside sRGB.
            #expect(Self.largestDifference(converted, image) > 2000)
            let other = try decoded.convertedToSRGB()
            #expect(Self.largestDifference(converted, other) <= 64, "\(decoded)")
        }
        let tiff = try codecs.decode(try TIFFEncoder().tested.encode(image), options: stored)
        #expect(tiff.bytes == image.bytes)
        guard case .icc(let profile) = tiff.colorSpace else {
            Issue.record("no profile")
            return
        }
        #expect(!profile.isEmpty && tiff.metadata.hasColorProfile)
    }

    @Test func `PQ is mapped to the standard range unless retained`() throws {
        let image = Self.image(Self.size, .rgba16, .rec2100PQ) { x, _ in
            SIMD4(UInt16(x * 2700), UInt16(x * 2700), UInt16(x * 2700), .max)
        }
        let stored = DecodeOptions(convertsToSRGB: false, keepsDepth: true)
        for data in [
            try PNGEncoder().tested.encode(image),
            try JPEGXLEncoder(isLossless: true, effort: 3).tested.encode(image),
        ] {
            let info = try codecs.info(of: data)
            #expect(info.dynamicRange == .pq)
            let decoded = try codecs.decode(data, options: stored)
            #expect(decoded.colorSpace == .rec2100PQ && decoded.bytes == image.bytes)
            let mapped = try codecs.decode(data)
            #expect(mapped.colorSpace == .sRGB && mapped.rgba8() != image.rgba8())
            let standard = try decoded.convertedToStandard().rgba8()
            // The curve maps one level to up to two, and libjxl may be off by one.
            let tolerance = info.format == .jpegXL ? 2 + 2 * JPEGXLDecoderTests.roundingError : 2
            let worst = zip(standard, mapped.rgba8()).map { abs(Int($0) - Int($1)) }.max()
            #expect(try #require(worst) <= tolerance, "\(info.format)")
        }
        // TIFF cannot store the range, and gets the pixels of an ordinary decode.
        let tiff = try codecs.decode(try TIFFEncoder().tested.encode(image), options: stored)
        #expect(tiff.colorSpace == .sRGB && tiff.pixelFormat == .rgba16 && tiff.bytes != image.bytes)
    }

    @Test(arguments: [(ColorSpace.rec2100PQ, DynamicRange.pq), (.rec2100HLG, .hlg)])
    func `AVIF retains the levels of high range in its 12 bits`(space: ColorSpace, range: DynamicRange) throws
    {
        let image = Self.image(Self.size, .rgba16, space) { x, y in
            SIMD4(UInt16(x * 2700), UInt16(y * 4000), 30_000, .max)
        }
        var encoder = AVIFEncoder(isLossless: true, speed: 10)
        encoder.deepBitDepth = 12
        let data = try encoder.encode(image)
        let info = try codecs.info(of: data)
        #expect(info.dynamicRange == range && info.bitDepth == 12)
        let stored = DecodeOptions(convertsToSRGB: false, keepsDepth: true)
        let decoded = try codecs.decode(data, options: stored)
        #expect(decoded.colorSpace == space && Self.largestDifference(decoded, image) <= 16)
        #expect(try codecs.decode(data).colorSpace == .sRGB)
    }

    @Test func `an unconverted profile is reported, and written again`() throws {
        let data = try JPEGEncoder(quality: 95).tested.encode(TestImages.photograph(Self.size))
        #expect(try codecs.decode(data, options: DecodeOptions(convertsToSRGB: false)).colorSpace == .sRGB)
        let image = Self.image(Self.size, .rgba16, .displayP3) { x, y in SIMD4(UInt16(x), UInt16(y), 3, .max)
        }
        let tiff = try codecs.decode(
            try TIFFEncoder().tested.encode(image),
            options: DecodeOptions(convertsToSRGB: false, keepsDepth: true)
        )
        let stored = DecodeOptions(convertsToSRGB: false, keepsDepth: true)
        let encoders: [any ImageEncoder] = [PNGEncoder(), JPEGXLEncoder(isLossless: true, effort: 3)]
        for encoder in encoders {
            let again = try codecs.decode(try encoder.encode(tiff), options: stored)
            #expect(again.colorSpace == tiff.colorSpace && again.bytes == tiff.bytes, "\(encoder.format)")
        }
    }

    @Test func `a deep image is encoded in a format that can store it by default`() throws {
        for format in [ImageFormat.heic, .jpeg, .webP, .png] {
            let image = Self.integers(Self.size)
            let stated = try DecodeOptions(keepsDepth: true).image(from: image, format: format)
            #expect(stated.pixelFormat == .rgba16)
            #expect(codecs.encodingFormat(for: stated) == .png, "\(format)")
        }
        let tiff = try DecodeOptions(keepsDepth: true).image(from: Self.halves(Self.size), format: .tiff)
        #expect(codecs.encodingFormat(for: tiff) == .tiff)
        #expect(
            try DecodeOptions().image(from: Self.integers(Self.size), format: .tiff).pixelFormat == .rgba8
        )
    }

    @Test func `truncated files of 16 bits are errors`() throws {
        for encoder in [PNGEncoder(), TIFFEncoder(), JPEGXLEncoder(effort: 3)] as [any ImageEncoder] {
            let data = try encoder.encode(Self.integers(Self.size))
            for count in stride(from: 1, to: data.count - 1, by: max(1, data.count / 40)) {
                #expect(decodeError { try codecs.decode(data.prefix(count), options: kept) } != nil)
            }
        }
    }
}

extension Image {
    /// The 16-bit samples in pixel order.
    var channels: [UInt16] {
        pixels.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 2).map { bytes.load(fromByteOffset: $0, as: UInt16.self) }
        }
    }
}
