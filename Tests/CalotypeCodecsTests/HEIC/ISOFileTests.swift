import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Valid ISO files that libraries refuse.
@Suite(.blocking, .inBothModes) struct ISOFileTests {
    private static let picture = TestImages.photograph(PixelSize(width: 64, height: 64))

    private static let endings = [
        Data("\n".utf8), Data("\r\n".utf8), Data([0]), Data(count: 7), Data(count: 512),
        Data("PK and so on, for more than a box".utf8), Data(repeating: 0xFF, count: 40),
    ]

    private func expectSameBehind(_ file: Data) throws {
        let expected = try CodecRegistry.tested.decode(file)
        for ending in Self.endings {
            try expectEqual(CodecRegistry.tested.decode(file + ending), expected, "\(ending.count) bytes")
            let info = try CodecRegistry.tested.info(of: file + ending)
            #expect(info.size == expected.size)
        }
    }

    @Test func `bytes behind the last box of an AVIF are ignored`() throws {
        try expectSameBehind(AVIFDecoderTests.parts(Self.picture).data)
        let frames = AVIFSequenceTests.frames(3, .rgba8)
        try expectSameBehind(AVIFEncoder(speed: 10).tested.encode(frames.image))
    }

    @Test(
        .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"),
        arguments: [ImageFormat.heic, .avif]
    )
    func `bytes behind the last box of a file of the corpus are ignored`(format: ImageFormat) throws {
        let files = SharedCorpus.files(format: format).filter { $0.expected == .ok }
        for file in files.prefix(4) { try expectSameBehind(file.bytes()) }
    }

    @Test func `a truncated last box is truncated`() throws {
        let file = try AVIFDecoderTests.parts(Self.picture).data
        for count in [1, 9, 100] {
            #expect(decodeError { try CodecRegistry.tested.decode(file.dropLast(count)) }?.code == .truncated)
        }
        let meta = try #require(HEIFParts.box("mdat", in: file)).count
        let error = decodeError { try CodecRegistry.tested.decode(file.dropLast(meta - 8)) }
        #expect(error?.code == .truncated)
    }

    @Test func `a last box without a size extends to the end`() throws {
        var file = try AVIFDecoderTests.parts(Self.picture).data
        let mdat = try #require(HEIFParts.box("mdat", in: file))
        let place = file.count - mdat.count
        file.replaceSubrange(place..<place + 4, with: Data(count: 4))
        #expect(try CodecRegistry.tested.decode(file).bytes == Self.picture.bytes)
    }

    @Test func `several boxes of associations are read as one`() throws {
        for properties in [[UInt8(0x81), 2], [0x81, 2, 3, 4]] {
            var parts = try AVIFDecoderTests.parts(Self.picture)
            parts.items[0].properties = properties.filter { Int($0 & 0x7F) <= parts.properties.count }
            let gray = try AVIFDecoderTests.parts(TestImages.photograph(Self.picture.size, format: .gray8))
            var alpha = gray.items[0]
            alpha.id = 2
            alpha.properties = alpha.properties.map { $0 + UInt8(parts.properties.count) }
            parts.properties += gray.properties
            parts.items.append(alpha)
            parts.add(
                HEIFParts.fullBox("auxC", Data("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)),
                to: 1
            )
            parts.references.append(("auxl", 2, [1]))
            let expected = try CodecRegistry.tested.decode(parts.data)
            #expect(expected.pixelFormat == .rgba8)
            parts.splitsAssociations = true
            try expectEqual(CodecRegistry.tested.decode(parts.data), expected)
        }
    }

    /// The file with some bytes replaced by as many others.
    private func replacing(_ text: String, with other: String, in file: Data) throws -> Data {
        let range = try #require(file.firstRange(of: Data(text.utf8)))
        var file = file
        file.replaceSubrange(range, with: Data(other.utf8))
        return file
    }

    @Test func `a track that is neither colour nor alpha is ignored`() throws {
        let frames = AVIFSequenceTests.frames(3, .rgba8)
        let file = try AVIFEncoder(quality: 80, speed: 10).tested.encode(frames.image)
        let whole = try CodecRegistry.tested.decode(file)
        #expect(whole.pixelFormat == .rgba8 && whole.animation?.frameCount == 3)
        let sound = try replacing("auxv", with: "soun", in: file)
        // The first is that of the still image.
        let tracks = try #require(file.firstRange(of: Data("moov".utf8))).lowerBound
        let depth =
            try file.prefix(tracks)
            + replacing("auxiliary:alpha", with: "auxiliary:depth", in: Data(file.dropFirst(tracks)))
        for other in [sound, depth] {
            let image = try CodecRegistry.tested.decode(other)
            #expect(image.pixelFormat == .rgb8 && image.animation?.frameCount == 3)
        }
    }

    @Test func `tiles of a grid follow the order of their references`() throws {
        let size = PixelSize(width: 128, height: 64)
        var parts = try AVIFDecoderTests.parts(Self.picture)
        let other = try AVIFDecoderTests.parts(TestImages.photograph(Self.picture.size, seed: 9))
        parts.makeGrid(rows: 1, columns: 2, size)
        parts.items[2].data = other.items[0].data
        let image = try CodecRegistry.tested.decode(parts.data)
        parts.references = [("dimg", 1, [3, 2])]
        let swapped = try CodecRegistry.tested.decode(parts.data)
        func half(_ image: Image, _ left: Int) throws -> [UInt8] {
            try image.croppedPixels(x: left, y: 0, to: Self.picture.size).bytes
        }
        #expect(try half(image, 0) == half(swapped, 64) && half(image, 64) == half(swapped, 0))
        #expect(try half(image, 0) == Self.picture.bytes)
    }

    @Test(
        .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"),
        arguments: [
            ("AOMediaCodec-libavif-draw_points_idat_metasize0.avif", 33, 11, 1),
            ("AOMediaCodec-libavif-colors-animated-8bpc-audio.avif", 150, 150, 5),
            ("AOMediaCodec-libavif-sofa_grid1x5_420_reversed_dimg_order.avif", 1024, 770, 1),
            (
                "SDWebImage-SDWebImageAVIFCoder-red.256x256.10bpc.yuv422.mono.limited.with-alpha.avif", 256,
                256, 1
            ),
            (
                "SDWebImage-SDWebImageAVIFCoder-black.256x256.8bpc.yuv422.mono.full.with-alpha.avif", 256,
                256, 1
            ),
        ]
    )
    func `a file that libavif refuses is decoded`(
        name: String,
        width: Int,
        height: Int,
        frameCount: Int
    ) throws {
        let image = try CodecRegistry.tested.decode(WildFiles.data(name))
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(image.animation?.frameCount ?? 1 == frameCount)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `a matrix unknown to libavif is an unsupported feature`() throws {
        let file = try WildFiles.data("KDE-kimageformats-ycgco-re.avif")
        #expect(decodeError { try CodecRegistry.tested.decode(file) }?.code == .unsupportedFeature)
    }
}
