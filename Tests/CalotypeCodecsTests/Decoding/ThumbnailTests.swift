import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ThumbnailTests {
    private let codecs = CodecRegistry.tested
    private static let size = PixelSize(width: 120, height: 80)

    static func jpeg(_ size: PixelSize) throws -> Data {
        try JPEGEncoder(quality: 95).tested.encode(TestImages.photograph(size))
    }

    /// A JPEG with the Exif block of a camera: an orientation, and a thumbnail in the second directory.
    static func camera(_ thumbnail: Data?, orientation: Int = 1, size: PixelSize = size) throws -> Data {
        let exif = TIFFTree(directories: [
            TIFFTree.Directory(longs: [274: [orientation]], next: 1),
            TIFFTree.Directory(longs: [259: [6]], jpeg: thumbnail),
        ])
        return try jpeg(size).withExif(exif.data)
    }

    @Test func `the thumbnail of a JPEG is read from its first bytes, with its orientation`() throws {
        let small = try Self.jpeg(PixelSize(width: 30, height: 20))
        let file = try Self.camera(small, orientation: 6)
        let head = file.prefix(small.count + 400)
        let thumbnail = try #require(try codecs.thumbnail(in: head))
        #expect(thumbnail.size == PixelSize(width: 20, height: 30) && thumbnail.format == .jpeg)
        #expect(thumbnail.metadata.orientation == .right)
        #expect(try codecs.decode(file).size == PixelSize(width: 80, height: 120))
        #expect(try codecs.thumbnail(in: head.prefix(200)) == nil)
    }

    @Test func `a thumbnail fits the target`() throws {
        let file = try Self.camera(try Self.jpeg(PixelSize(width: 30, height: 20)))
        let thumbnail = try codecs.thumbnail(in: file, options: DecodeOptions(target: .fit(width: 12)))
        #expect(thumbnail?.size == PixelSize(width: 12, height: 8))
    }

    @Test func `bars beside the image are cut off a thumbnail`() throws {
        // 160 × 120 with bars, as Exif requires, for an image of three by two.
        let file = try Self.camera(try Self.jpeg(PixelSize(width: 160, height: 120)))
        #expect(try codecs.thumbnail(in: file)?.size == PixelSize(width: 160, height: 106))
    }

    @Test func `the thumbnail is nil for an image without one, and for invalid data`() throws {
        #expect(try codecs.thumbnail(in: Self.jpeg(Self.size)) == nil)
        #expect(try codecs.thumbnail(in: Self.camera(nil)) == nil)
        #expect(try codecs.thumbnail(in: Data("nothing".utf8)) == nil)
        #expect(try codecs.thumbnail(in: Data()) == nil)
    }

    @Test func `a damaged thumbnail is an error, and one beyond the limits`() throws {
        var small = try Self.jpeg(PixelSize(width: 30, height: 20))
        let file = try Self.camera(small)
        let limits = DecodeOptions(limits: DecodeLimits(maxPixelCount: 100))
        #expect(decodeError { try codecs.thumbnail(in: file, options: limits) }?.code == .limitExceeded)
        small.removeSubrange((small.count / 2)...)
        #expect(decodeError { try codecs.thumbnail(in: Self.camera(small)) } != nil)
    }

    @Test func `the thumbnail of a TIFF is its reduced image, in JPEG or not`() throws {
        let page = TIFFTree.Directory(
            longs: [256: [8], 257: [4], 258: [8], 259: [1], 262: [1], 274: [3], 277: [1], 278: [4]],
            strip: Data(count: 32),
            next: 1
        )
        var reduced = TIFFTree.Directory(
            longs: [254: [1], 256: [4], 257: [2], 258: [8], 259: [1], 262: [1], 277: [1], 278: [2]],
            strip: Data([1, 2, 3, 4, 5, 6, 7, 8])
        )
        let plain = try codecs.thumbnail(in: TIFFTree(directories: [page, reduced]).data)
        #expect(plain?.bytes == [8, 7, 6, 5, 4, 3, 2, 1] && plain?.format == .tiff)
        reduced.longs = [254: [1], 256: [4], 257: [2], 259: [6]]
        (reduced.strip, reduced.jpeg) = (nil, try Self.jpeg(PixelSize(width: 4, height: 2)))
        let packed = try codecs.thumbnail(in: TIFFTree(directories: [page, reduced]).data)
        #expect(packed?.size == PixelSize(width: 4, height: 2) && packed?.metadata.orientation == .down)
        reduced.longs[254] = [0]
        #expect(try codecs.thumbnail(in: TIFFTree(directories: [page, reduced]).data) == nil)
    }

    @Test(arguments: [ImageFormat.avif, .heic])
    func `the thumbnail of an AVIF or a HEIC is read before the image arrives`(format: ImageFormat) throws {
        let parts =
            format == .avif
            ? try Self.parts(AVIFEncoder(speed: 10), codec: "av01", configuration: "av1C")
            : try Self.parts(HEICEncoder(), codec: "hvc1", configuration: "hvcC")
        let (file, head) = (parts.data, parts.data.dropLast(parts.items[1].data.count))
        let thumbnail = try #require(try codecs.thumbnail(in: head))
        #expect(thumbnail.size == PixelSize(width: 64, height: 128))
        #expect(thumbnail.format == format)
        #expect(try codecs.decode(file).size == PixelSize(width: 128, height: 192))
    }

    /// An oriented image after its thumbnail of the same orientation.
    ///
    /// Sides are multiples of 64: libheif pads others for HEVC, and crops by a property that `HEIFParts`
    /// does not write.
    static func parts(
        _ encoder: some ImageEncoder,
        codec: String,
        configuration: String
    ) throws -> HEIFParts {
        let picture = try encoder.encode(
            TestImages.photograph(PixelSize(width: 192, height: 128), format: .rgb8)
        )
        let small = try encoder.encode(
            TestImages.photograph(PixelSize(width: 128, height: 64), format: .rgb8)
        )
        var parts = HEIFParts(of: small, codec: codec, configuration: configuration)
        let other = HEIFParts(of: picture, codec: codec, configuration: configuration)
        var item = other.items[0]
        item.id = 2
        item.properties = (0..<UInt8(other.properties.count)).map {
            UInt8(parts.properties.count) + $0 + 1 | ($0 == 0 ? 0x80 : 0)
        }
        parts.properties += other.properties
        parts.items.append(item)
        parts.properties.append(HEIFParts.box("irot", Data([1])))
        for index in 0...1 { parts.items[index].properties.append(UInt8(parts.properties.count) | 0x80) }
        parts.primary = 2
        parts.references = [("thmb", 1, [2])]
        return parts
    }

    @Test func `every cut or changed byte of a file gives a thumbnail, nil, or an error`() throws {
        var random = SeededGenerator(seed: 5)
        let camera = try Self.camera(try Self.jpeg(PixelSize(width: 30, height: 20)))
        let avif = try Self.parts(AVIFEncoder(speed: 10), codec: "av01", configuration: "av1C").data
        let heic = try Self.parts(HEICEncoder(), codec: "hvc1", configuration: "hvcC").data
        for data in [camera, avif, heic] {
            for count in stride(from: 1, to: data.count, by: 13) {
                _ = decodeError { try codecs.thumbnail(in: data.prefix(count)) }
            }
            for _ in 0..<300 {
                var damaged = data
                damaged[Int.random(in: 0..<damaged.count, using: &random)] =
                    UInt8.random(in: .min ... .max, using: &random)
                _ = decodeError { try codecs.thumbnail(in: damaged) }
            }
        }
    }
}

extension Data {
    /// A JPEG with an Exif block after its first marker.
    fileprivate func withExif(_ block: Data) -> Data {
        let payload = Data("Exif\0\0".utf8) + block
        let count = payload.count + 2
        return prefix(2) + Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)]) + payload + dropFirst(2)
    }
}
