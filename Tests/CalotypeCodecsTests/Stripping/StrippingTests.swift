import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestMaterial
import TestSupport
import Testing

@Suite(.gated) struct StrippingTests {
    private static let codecs = CodecRegistry.standard
    private static let secret = Data("Acme X100".utf8)
    private static let prefix = Data("Exif\0\0".utf8)
    private static let xmp = Data("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>secret</x:xmpmeta>".utf8)
    private static var block: Data { ExifBuilder().block }

    private static func picture(_ seed: UInt64 = 1) -> Image {
        TestImages.photograph(PixelSize(width: 40, height: 24), seed: seed)
    }

    private static var animation: Image {
        let frames = (1...3).map { picture(UInt64($0)) }
        return StillFrames(frames).image
    }

    private static func jpegFile(_ encoder: JPEGEncoder) throws -> Data {
        let file = try encoder.encode(picture())
        let exif = jpeg(file, inserting: 0xE1, prefix + block)
        let comment = jpeg(exif, inserting: 0xFE, Data("secret comment".utf8))
        return jpeg(jpeg(comment, inserting: 0xE1, xmp), inserting: 0xED, Data("Photoshop 3.0\0secret".utf8))
            + Data("secret video".utf8)
    }

    private static func pngFile(_ image: Image) throws -> Data {
        var png = PNGParts(try PNGEncoder().encode(image))
        png.insert("tEXt", Data("Comment\0secret".utf8), before: "IDAT")
        png.insert("tIME", Data([7, 0xEA, 1, 1, 1, 1, 1]), before: "IDAT")
        png.insert("caBX", Data("secret".utf8), before: "IDAT")
        png.insert("pHYs", Data([0, 0, 11, 19, 0, 0, 11, 19, 1]), before: "IDAT")
        png.insert("eXIf", block, before: "IEND")
        return png.data + Data("secret".utf8)
    }

    private static func files() throws -> [(name: String, file: Data)] {
        try [
            ("JPEG", jpegFile(JPEGEncoder())),
            ("progressive JPEG", jpegFile(JPEGEncoder(isProgressive: true))),
            ("PNG", pngFile(picture())), ("APNG", pngFile(animation)),
            ("WebP", webP(WebPEncoder(isLossless: true).encode(picture()), exif: block, xmp: xmp)),
            ("GIF", gifFile(GIFEncoder().encode(animation))),
        ]
    }

    /// Inserts a comment and an application extension before the first image.
    private static func gifFile(_ file: Data) -> Data {
        let colors = file[10] & 0x80 != 0 ? 3 << (Int(file[10] & 7) + 1) : 0
        let comment = Data([0x21, 0xFE, 14]) + Data("secret comment".utf8) + [0]
        let xmp = Data([0x21, 0xFF, 11]) + Data("XMP DataXMP".utf8) + Data([6]) + Data("secret".utf8) + [0]
        return file.prefix(13 + colors) + comment + xmp + file.dropFirst(13 + colors) + Data("secret".utf8)
    }

    @Test func `levels that every decode converts are found in the header`() throws {
        let size = PixelSize(width: 40, height: 24)
        let profile = Data("ICC_PROFILE\0\u{1}\u{1}".utf8)
        for (format, isGray) in [(PixelFormat.rgb8, false), (.gray8, true)] {
            let image = TestImages.photograph(size, format: format)
            let jpegFile = try JPEGEncoder().encode(image)
            #expect(!CodecRegistry.alwaysConvertsLevels(of: jpegFile))
            let described = jpeg(jpegFile, inserting: 0xE2, profile)
            #expect(CodecRegistry.alwaysConvertsLevels(of: described) == isGray)
            for (type, payload, isConverted) in [
                ("iCCP", Data("a\0\0".utf8), isGray), ("gAMA", Data([0, 1, 0x86, 0xA0]), isGray),
                ("gAMA", Data([0, 0, 0xB1, 0x8F]), false), ("cICP", Data([9, 16, 0, 1]), true),
            ] {
                var png = PNGParts(try PNGEncoder().encode(image))
                png.insert(type, payload, before: "IDAT")
                #expect(CodecRegistry.alwaysConvertsLevels(of: png.data) == isConverted)
            }
        }
        // Four channels, and no frame.
        let frame = Data([8, 0, 1, 0, 1, 4]) + Data(count: 12)
        let inks = Data([0xFF, 0xD8, 0xFF, 0xC0]) + bigEndian16(frame.count + 2) + frame
        #expect(CodecRegistry.alwaysConvertsLevels(of: inks + [0xFF, 0xDA]))
        #expect(CodecRegistry.alwaysConvertsLevels(of: Data([0xFF, 0xD8, 0xFF, 0xDA])))
        #expect(try !CodecRegistry.alwaysConvertsLevels(of: GIFEncoder().encode(Self.animation)))
    }

    @Test func `a stripped file decodes to the same pixels and has no metadata`() throws {
        for (name, file) in try Self.files() {
            let stripped = try Self.codecs.strippingMetadata(from: file)
            let (before, after) = (try Self.codecs.decode(file), try Self.codecs.decode(stripped))
            #expect(before.bytes == after.bytes && before.size == after.size, "\(name)")
            #expect(before.animation?.frameCount == after.animation?.frameCount, "\(name)")
            #expect(before.animation?.loopCount == after.animation?.loopCount, "\(name)")
            for text in [Self.secret, Data("secret".utf8), Data("Glass".utf8), Data("Firmware".utf8)] {
                #expect(stripped.range(of: text) == nil, "\(name)")
            }
            let exif = Self.codecs.exif(of: stripped)
            #expect(exif?.location == nil && exif?.cameraMake == nil && exif?.captureDate == nil, "\(name)")
            #expect(exif?.orientation == (name == "GIF" ? nil : .right), "\(name)")
            #expect(try Self.codecs.strippingMetadata(from: stripped) == stripped, "\(name) twice")
        }
    }

    @Test func `stripping the orientation leaves the pixels as stored`() throws {
        for (name, file) in try Self.files() where name != "GIF" {
            let kept = RetainedMetadata(orientation: false)
            let stripped = try Self.codecs.strippingMetadata(from: file, keeping: kept)
            #expect(Self.codecs.exif(of: stripped) == nil, "\(name)")
            let stored = try Self.codecs.decode(file, options: DecodeOptions(appliesOrientation: false))
            #expect(try Self.codecs.decode(stripped).bytes == stored.bytes, "\(name)")
            #expect(stripped.range(of: Data("Exif\0".utf8)) == nil)
        }
    }

    @Test func `a copyright is retained on request`() throws {
        let copyright = try #require(Copyright(artist: "Zoë", notice: "© Zoë; some rights"))
        var builder = ExifBuilder()
        builder.image += [(0x013B, .text("Zoë")), (0x8298, .text("© Zoë; some rights"))]
        let file = try jpeg(
            JPEGEncoder().encode(Self.picture()),
            inserting: 0xE1,
            Self.prefix + builder.block
        )
        let kept = RetainedMetadata(orientation: true, copyright: true)
        let image = try Self.codecs.decode(Self.codecs.strippingMetadata(from: file, keeping: kept))
        #expect(image.metadata.copyright == copyright && image.metadata.orientation == .right)
        #expect(image.metadata.exif?.cameraMake == nil)
        let bare = try Self.codecs.decode(Self.codecs.strippingMetadata(from: file))
        #expect(bare.metadata.copyright == nil)
    }

    @Test func `colour profiles, resolution and the Adobe marker are retained`() throws {
        var file = try JPEGEncoder().encode(Self.picture())
        file = jpeg(file, inserting: 0xE2, Data("ICC_PROFILE\0\u{1}\u{1}profile".utf8))
        file = jpeg(file, inserting: 0xE2, Data("MPF\0secret".utf8))
        file = jpeg(file, inserting: 0xEE, Data("Adobe\0d\0\0\0\0\u{1}".utf8))
        let stripped = try Self.codecs.strippingMetadata(from: file)
        #expect(stripped.range(of: Data("ICC_PROFILE\0\u{1}\u{1}profile".utf8)) != nil)
        #expect(stripped.range(of: Data("Adobe".utf8)) != nil && stripped.range(of: Data("MPF".utf8)) == nil)
        let png = PNGParts(try Self.codecs.strippingMetadata(from: Self.pngFile(Self.picture())))
        #expect(png.chunks.contains { $0.type == "pHYs" } && !png.chunks.contains { $0.type == "tIME" })
    }

    @Test func `other formats and invalid data are refused`() throws {
        let bmp = try #require(Self.codecs.encoder(for: .tiff)).encode(Self.picture())
        #expect(decodeError { try Self.codecs.strippingMetadata(from: bmp) }?.code == .unsupportedFeature)
        let text = Data("this is no image at all".utf8)
        #expect(decodeError { try Self.codecs.strippingMetadata(from: text) }?.code == .unrecognizedFormat)
    }

    @Test func `a file cut anywhere throws or loses its metadata`() throws {
        for (name, file) in try Self.files() {
            for count in stride(from: 1, to: file.count, by: 7) {
                do throws(DecodeError) {
                    let stripped = try Self.codecs.strippingMetadata(from: file.prefix(count))
                    #expect(stripped.range(of: Self.secret) == nil, "\(name) of \(count)")
                } catch {
                    #expect(!error.detail.isEmpty)
                }
            }
        }
    }

    @Test func `altered bytes never trap`() throws {
        for (_, file) in try Self.files() {
            for index in 0..<min(file.count, 400) {
                var altered = file
                altered[index] = altered[index] &+ 0x7F
                _ = decodeError { try Self.codecs.strippingMetadata(from: altered) }
            }
        }
    }
}
