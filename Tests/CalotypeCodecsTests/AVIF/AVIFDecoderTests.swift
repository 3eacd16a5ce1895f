import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct AVIFDecoderTests {
    static let size = PixelSize(width: 20, height: 14)

    static func parts(_ image: Image) throws -> HEIFParts {
        HEIFParts(
            of: try AVIFEncoder(isLossless: true).tested.encode(image),
            codec: "av01",
            configuration: "av1C"
        )
    }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        try AVIFDecoder().tested.decode(data, options: options)
    }

    @Test(arguments: [("alpha", true), ("depth", false)])
    func `the header distinguishes alpha from other items beside a tile`(kind: String, isAlpha: Bool) throws {
        let size = PixelSize(width: 64, height: 64)
        var parts = try Self.parts(TestImages.photograph(size))
        parts.makeGrid(rows: 1, columns: 1, size)
        let gray = try Self.parts(TestImages.photograph(size, format: .gray8))
        var beside = gray.items[0]
        beside.id = 3
        beside.properties = beside.properties.map { $0 + UInt8(parts.properties.count) }
        parts.properties += gray.properties
        parts.items.append(beside)
        let name = Data("urn:mpeg:mpegB:cicp:systems:auxiliary:\(kind)\0".utf8)
        parts.add(HEIFParts.fullBox("auxC", name), to: 2)
        parts.references.append(("auxl", 3, [2]))
        let image = try decode(parts.data)
        let info = try AVIFDecoder().tested.info(of: parts.data, limits: DecodeLimits())
        #expect(image.pixelFormat == (isAlpha ? .rgba8 : .rgb8))
        #expect(info.hasAlpha == isAlpha && info.pixelFormat == image.pixelFormat)
        #expect(info.format == .avif && info.size == size)
    }

    @Test(arguments: HEIFTransforms.all)
    func `the transformations of the file are applied in the order of the standard`(
        transforms: HEIFTransforms
    ) throws {
        for format in [PixelFormat.rgb8, .gray8] {
            let image = TestImages.asymmetric(Self.size, format: format)
            var parts = try Self.parts(image)
            transforms.add(to: &parts, of: Self.size)
            let expected = transforms.applied(to: image)
            for appliesOrientation in [true, false] {
                let options = DecodeOptions(appliesOrientation: appliesOrientation)
                let shown = try decode(parts.data, options)
                #expect(shown.size == PixelSize(width: expected[0].count, height: expected.count))
                #expect(shown.bytes == Array(expected.joined().joined()))
                #expect(shown.metadata.orientation == .up)
            }
            let info = try AVIFDecoder().tested.info(of: parts.data, limits: DecodeLimits())
            #expect(info.size == PixelSize(width: expected[0].count, height: expected.count))
            #expect(info.orientation == .up)
        }
    }

    @Test func `an invalid clean aperture is ignored`() throws {
        let image = TestImages.asymmetric(Self.size)
        for numbers in [[30, 1, 14, 1, 0, 1, 0, 1], [10, 0, 6, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1]] {
            var parts = try Self.parts(image)
            let box = HEIFParts.box("clap", numbers.reduce(Data()) { $0 + bigEndian32($1) })
            // Essential, as the standard requires; libavif 1.2 rejects others.
            parts.add(box, isEssential: true)
            #expect(try decode(parts.data).bytes == image.bytes)
        }
    }

    @Test func `an aperture between chroma samples cuts pixels`() throws {
        let image = TestImages.photograph(Self.size)
        let file = try AVIFEncoder(quality: 60).tested.encode(image)
        var parts = HEIFParts(of: file, codec: "av01", configuration: "av1C")
        let transforms = HEIFTransforms(crop: [3, 5, 7, 3])
        let whole = try decode(parts.data)
        transforms.add(to: &parts, of: Self.size)
        #expect(try decode(parts.data).bytes == Array(transforms.applied(to: whole).joined().joined()))
    }

    @Test func `a property that browsers do not require is not required`() throws {
        let image = TestImages.asymmetric(Self.size)
        var parts = try Self.parts(image)
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "pixi".utf8) })
        parts.items[0].properties.removeAll { $0 & 0x7F == index + 1 }
        #expect(try decode(parts.data).bytes == image.bytes)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `the decoded size follows the target's rule`(format: PixelFormat) throws {
        let file = try AVIFEncoder(speed: 9).tested
            .encode(TestImages.photograph(PixelSize(width: 101, height: 63), format: format))
        let small = try decode(file, DecodeOptions(target: .fit(PixelBox(width: 30)), scale: 2))
        #expect(small.size == PixelSize(width: 30, height: 19))
        #expect(small.scale == 2 && small.pixelFormat == format)
    }

    @Test func `coded colour spaces are converted unless declined`() throws {
        let gray = TestImages.photograph(Self.size, format: .gray8).bytes.flatMap { [$0, $0, $0] }
        let pixels = PixelBuffer(byteCount: gray.count) { $0.copyBytes(from: gray) }
        let neutral = Image(size: Self.size, pixelFormat: .rgb8, pixels: pixels)
        for image in [TestImages.photograph(Self.size), neutral] {
            var parts = try Self.parts(image)
            // Display P3: primaries 12, the sRGB transfer curve, RGB, full range.
            let codes = bigEndian16(12) + bigEndian16(13) + bigEndian16(0) + Data([0x80])
            let index = try #require(
                parts.properties.firstIndex { $0.dropFirst(4).starts(with: "colr".utf8) }
            )
            parts.properties[index] = HEIFParts.box("colr", Data("nclx".utf8) + codes)
            #expect(try decode(parts.data, DecodeOptions(convertsToSRGB: false)).bytes == image.bytes)
            let converted = try decode(parts.data)
            #expect(!converted.metadata.hasColorProfile)
            // P3 is wider, so equal values are stronger colours; gray is equal in both.
            #expect(converted.difference(to: image).worst > (image === neutral ? -1 : 4))
            #expect(converted.difference(to: image).worst <= (image === neutral ? 1 : 255))
        }
    }

    // MARK: - Limits

    @Test(arguments: [(65535, 65535), (10_001, 10_000), (200_000, 1)])
    func `a header with an excessive size is refused`(width: Int, height: Int) throws {
        var parts = try Self.parts(TestImages.photograph(Self.size))
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "ispe".utf8) })
        parts.properties[index] = HEIFParts.spatialExtents(width, height)
        let file = parts.data
        #expect(
            decodeError { try AVIFDecoder().tested.decode(file, options: DecodeOptions()) }?.code
                == .limitExceeded
        )
        #expect(
            decodeError { try AVIFDecoder().tested.info(of: file, limits: DecodeLimits()) }?.code
                == .limitExceeded
        )
    }

    @Test func `each limit is enforced exactly`() throws {
        let file = try AVIFEncoder().tested.encode(TestImages.photograph(Self.size))
        func code(_ limits: DecodeLimits) -> DecodeError.Code? {
            decodeError { try AVIFDecoder().tested.decode(file, options: DecodeOptions(limits: limits)) }?
                .code
        }
        #expect(code(DecodeLimits(maxPixelCount: 280)) == nil)
        #expect(code(DecodeLimits(maxPixelCount: 279)) == .limitExceeded)
        #expect(code(DecodeLimits(maxByteCount: file.count)) == nil)
        #expect(code(DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
    }

    @Test func `more items than an image needs are refused`() throws {
        var parts = try Self.parts(TestImages.photograph(Self.size))
        let item = parts.items[0]
        for (count, isRefused) in [(256, false), (257, true)] {
            parts.items = (1...count).map {
                HEIFParts.Item(id: $0, type: "av01", data: item.data, properties: item.properties)
            }
            let file = parts.data
            let error = decodeError { try AVIFDecoder().tested.decode(file, options: DecodeOptions()) }
            #expect(error?.code == (isRefused ? .limitExceeded : nil))
        }
    }

    // libavif scales such a frame, like the layers of an image.
    @Test func `an image has the size in its header, whatever the size of its frame`() throws {
        var parts = try Self.parts(TestImages.photograph(Self.size))
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "ispe".utf8) })
        for size in [PixelSize(width: 21, height: 14), PixelSize(width: 400, height: 300)] {
            parts.properties[index] = HEIFParts.spatialExtents(size.width, size.height)
            #expect(try decode(parts.data).size == size)
        }
    }
}
