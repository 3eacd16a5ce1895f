import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Copyright of images: read from files, and written on request.
@Suite(.blocking, .inBothModes) struct CopyrightTests {
    private static let copyright = Copyright(artist: "Zoë Åström", notice: "© 2026 Zoë; some rights")
    private static let kept = EncodeOptions(keepsCopyright: true)
    private static let encoders: [any ImageEncoder] = [
        JPEGEncoder(options: kept), JPEGEncoder(isProgressive: true, options: kept),
        PNGEncoder(options: kept), PNGEncoder(isInterlaced: true, options: kept),
        WebPEncoder(options: kept), WebPEncoder(isLossless: true, options: kept),
        AVIFEncoder(speed: 10, options: kept),
    ]

    private static func picture(
        _ format: PixelFormat = .rgb8,
        _ copyright: Copyright? = Self.copyright
    ) -> Image {
        let image = TestImages.photograph(PixelSize(width: 40, height: 24), format: format)
        return Image(
            size: image.size,
            pixelFormat: format,
            pixels: image.pixels,
            metadata: ImageMetadata(orientation: .left, copyright: copyright)
        )
    }

    @Test(arguments: encoders, [PixelFormat.gray8, .rgb8, .rgba8])
    func `the copyright is written on request, and does not change the image`(
        encoder: any ImageEncoder,
        format: PixelFormat
    ) throws {
        let file = try encoder.tested.encode(Self.picture(format))
        let plain = try encoder.tested.encode(Self.picture(format, nil))
        let (told, silent) = (
            try CodecRegistry.tested.decode(file), try CodecRegistry.tested.decode(plain)
        )
        #expect(told.bytes == silent.bytes && silent.metadata.copyright == nil)
        #expect(told.metadata.orientation == .up)
        for text in ["Zoë Åström", "© 2026 Zoë; some rights"] {
            #expect(file.range(of: Data(text.utf8)) != nil)
        }
        // The orientation of the source image is not copied.
        guard encoder.format != .avif else { return }
        #expect(told.metadata.copyright == Self.copyright)
    }

    @Test func `no copyright is written without a request, or without one in the image`() throws {
        for encoder in Self.encoders {
            let adjusted = try encoder.tested.adjusted(by: EncodeAdjustment())
            #expect(adjusted.cacheIdentity == encoder.cacheIdentity)
        }
        let (image, silent) = (Self.picture(), Self.picture(.rgb8, nil))
        for format in ImageFormat.recognized {
            guard let encoder = CodecRegistry.tested.encoder(for: format), format != .heic else { continue }
            #expect(try encoder.encode(image) == encoder.encode(silent), "\(format)")
            let asked = try Self.asked(encoder)
            #expect(try asked.encode(silent) == encoder.encode(silent), "\(format)")
        }
    }

    private static func asked(_ encoder: some ImageEncoder) throws -> any ImageEncoder {
        try encoder.adjusted(by: EncodeAdjustment(keepsCopyright: true))
    }

    @Test func `the request for the copyright is part of the cache identity`() throws {
        for encoder in [JPEGEncoder(), PNGEncoder(), WebPEncoder(), AVIFEncoder()] as [any ImageEncoder] {
            #expect(try Self.asked(encoder.tested).cacheIdentity != encoder.cacheIdentity)
            #expect(!encoder.cacheIdentity.contains("copyright"))
        }
    }

    @Test(
        arguments: [
            WebPEncoder(isLossless: true, options: kept), PNGEncoder(options: kept),
            AVIFEncoder(isLossless: true, speed: 10, options: kept),
        ] as [any ImageEncoder]
    )
    func `an animation includes the copyright`(encoder: any ImageEncoder) throws {
        let frames = (1...3).map {
            TestImages.photograph(PixelSize(width: 20, height: 10), seed: UInt64($0))
        }
        let image = Image(
            size: frames[0].size,
            pixelFormat: .rgb8,
            pixels: frames[0].pixels,
            metadata: ImageMetadata(copyright: Self.copyright),
            animation: Animation(source: StillFrames(frames))
        )
        let file = try encoder.tested.encode(image)
        let decoded = try CodecRegistry.tested.decode(file)
        #expect(decoded.animation?.frameCount == 3)
        #expect(file.range(of: Data("Zoë Åström".utf8)) != nil)
        #expect(encoder.format == .avif || decoded.metadata.copyright == Self.copyright)
    }

    @Test(arguments: [ImageFormat.jpeg, .webP, .avif])
    func `the byte limit includes the copyright`(format: ImageFormat) throws {
        let encoder = try #require(CodecRegistry.tested.encoder(for: format))
        let long = Copyright(notice: String(repeating: "x", count: 1_000))
        let picture = Self.picture(.rgb8, long)
        let limit = try Self.asked(encoder).encode(picture).count - 1
        let adjustment = EncodeAdjustment(maxByteCount: limit, keepsCopyright: true)
        let file = try Self.adjusted(encoder, adjustment).encode(picture)
        #expect(file.count <= limit && file.range(of: Data(repeating: 0x78, count: 1_000)) != nil)
    }

    private static func adjusted(
        _ encoder: some ImageEncoder,
        _ adjustment: EncodeAdjustment
    ) throws -> any ImageEncoder {
        try encoder.adjusted(by: adjustment)
    }

    @Test(arguments: [false, true])
    func `both byte orders are read, and texts stay within their entry`(little: Bool) throws {
        let block = Self.block(
            [(0x013B, 2, Data("Ann\0".utf8)), (0x8298, 2, Data("Bob 2026\0".utf8))],
            little
        )
        #expect(try Self.read(block) == Copyright(artist: "Ann", notice: "Bob 2026"))
        // EXIF 3.0 has a separate type for UTF-8.
        #expect(try Self.read(Self.block([(0x8298, 129, Data("Ö".utf8))], little))?.notice == "Ö")
    }

    @Test func `the copyright of a TIFF is read from its own directory`() throws {
        let strip = Data(repeating: 7, count: 4)
        var page = TIFFTree.Directory(strip: strip)
        page.longs = [256: [2], 257: [2], 258: [8], 259: [1], 262: [1], 277: [1], 278: [2]]
        page.texts = [315: "Ann", 33432: "Bob 2026"]
        let file = TIFFTree(directories: [page]).data
        let image = try TIFFDecoder().tested.decode(file, options: DecodeOptions())
        #expect(image.metadata.copyright == Copyright(artist: "Ann", notice: "Bob 2026"))
    }

    @Test func `control characters are removed, and several holders of rights are joined`() throws {
        let told = Self.block([(0x8298, 2, Data("Photographer\0Editor\0".utf8))])
        #expect(try Self.read(told)?.notice == "Photographer; Editor")
        let escaped = Self.block([(0x013B, 2, Data(" \u{1B}[31mred\u{7}\u{9B}\r\n\0".utf8))])
        #expect(try Self.read(escaped)?.artist == "[31mred")
        #expect(try Self.read(Self.block([(0x8298, 2, Data(" \0\0\n".utf8))])) == nil)
    }

    @Test func `a long text is cut to the limit in whole characters`() throws {
        for text in ["x", "é", "漢", "😀"] {
            let long = Data(String(repeating: text, count: 70_000 / text.utf8.count).utf8.prefix(60_000))
            let notice = try #require(try Self.read(Self.block([(0x8298, 2, long)]))?.notice)
            #expect(notice == String(repeating: text, count: Copyright.maxByteCount / text.utf8.count))
        }
        let invalid = Data(repeating: 0xFF, count: 5_000)
        let notice = try #require(try Self.read(Self.block([(0x8298, 2, invalid)]))?.notice)
        #expect(notice.utf8.count <= Copyright.maxByteCount)
    }

    @Test func `an invalid block is ignored, and the image still decodes`() throws {
        let sound = Self.block([(0x013B, 2, Data("A. Nobody\0".utf8)), (0x8298, 2, Data("B. Nobody\0".utf8))])
        for count in 0..<sound.count { _ = try Self.read(sound.prefix(count)) }
        for index in sound.indices {
            for value in [0, 0x7F, 0x80, 0xFF] as [UInt8] {
                var damaged = sound
                damaged[index] = value
                let read = try Self.read(damaged)
                #expect((read?.artist.utf8.count ?? 0) <= Copyright.maxByteCount)
            }
        }
        // Beyond the end, of a non-text type, and with more bytes than available.
        for field in [(UInt16(0x8298), 2, 0xFFFF_FFFF, 40), (0x8298, 3, 10, 8), (0x8298, 2, 10, 0xFFFF_FFF0)]
        {
            let entry = bigEndian16(Int(field.0)) + bigEndian16(field.1) + bigEndian32(field.2)
            let block = Data("MM\0*".utf8) + bigEndian32(8) + bigEndian16(1) + entry + bigEndian32(field.3)
            #expect(try Self.read(block + bigEndian32(0)) == nil)
        }
    }

    /// The copyright of a JPEG with this block.
    private static func read(_ block: Data) throws -> Copyright? {
        let file = jpeg(try plain.get(), inserting: 0xE1, Data("Exif\0\0".utf8) + block)
        return try JPEGDecoder().tested.decode(file, options: DecodeOptions()).metadata.copyright
    }

    private static let plain = Result { try JPEGEncoder().encode(picture(.gray8, nil)) }

    /// A TIFF block of byte entries.
    private static func block(_ entries: [(tag: Int, type: Int, value: Data)], _ little: Bool = false) -> Data
    {
        func integer(_ value: Int, _ byteCount: Int) -> Data {
            let bytes = bigEndian32(value).suffix(byteCount)
            return little ? Data(bytes.reversed()) : Data(bytes)
        }
        var list =
            Data((little ? "II" : "MM").utf8) + integer(42, 2) + integer(8, 4) + integer(entries.count, 2)
        var values = Data()
        let start = list.count + 12 * entries.count + 4
        for entry in entries {
            list += integer(entry.tag, 2) + integer(entry.type, 2) + integer(entry.value.count, 4)
            guard entry.value.count > 4 else {
                list += entry.value + Data(count: 4 - entry.value.count)
                continue
            }
            list += integer(start + values.count, 4)
            values += entry.value
        }
        return list + integer(0, 4) + values
    }
}
