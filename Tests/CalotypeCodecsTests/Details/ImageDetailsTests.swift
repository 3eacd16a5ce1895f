import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.gated) struct ImageDetailsTests {
    private static let image = TestImages.photograph(PixelSize(width: 40, height: 24), format: .rgb8)

    private static func details(of data: Data) -> ImageDetails { CodecRegistry.standard.details(of: data) }

    /// A profile whose tag `desc` has this value.
    private static func profile(_ description: Data) -> Data {
        ProfileFile(tags: [("wtpt", ProfileFile.xyz([0.9642, 1, 0.8249])), ("desc", description)]).data
    }

    private static func text(_ name: String) -> Data {
        Data("desc".utf8) + Data(count: 4) + bigEndian32(name.utf8.count + 1) + Data(name.utf8) + [0]
    }

    private static func unicode(_ name: String) -> Data {
        let units = name.utf16.reduce(Data()) { $0 + bigEndian16(Int($1)) }
        return Data("mluc".utf8) + Data(count: 4) + bigEndian32(1) + bigEndian32(12) + Data("enUS".utf8)
            + bigEndian32(units.count) + bigEndian32(28) + units
    }

    private static func segment(ofProfile part: Data, _ index: UInt8 = 1, of count: UInt8 = 1) -> Data {
        Data("ICC_PROFILE\0".utf8) + [index, count] + part
    }

    // MARK: - JPEG

    @Test(arguments: [
        (JPEGEncoder.ChromaSubsampling.yuv444, ImageDetails.ChromaSubsampling.full),
        (.yuv422, .halfWidth), (.yuv420, .quarter),
    ])
    func `the subsampling of a JPEG is that of its encoder`(
        encoded: JPEGEncoder.ChromaSubsampling,
        expected: ImageDetails.ChromaSubsampling
    ) throws {
        for isProgressive in [false, true] {
            let encoder = JPEGEncoder(isProgressive: isProgressive, chromaSubsampling: encoded)
            #expect(try Self.details(of: encoder.encode(Self.image)).chromaSubsampling == expected)
        }
    }

    @Test func `a gray JPEG has no colour`() throws {
        let gray = TestImages.photograph(PixelSize(width: 9, height: 8), format: .gray8)
        #expect(try Self.details(of: JPEGEncoder().encode(gray)).chromaSubsampling == .monochrome)
    }

    @Test(
        arguments: [
            (0, 72, 72, nil), (1, 300, 150, [300, 150]), (2, 100, 200, [254, 508]), (1, 0, 72, nil),
            (3, 9, 9, nil),
        ] as [(UInt8, Int, Int, [Double]?)]
    )
    func `JFIF states the density in inches or centimetres`(
        unit: UInt8,
        across: Int,
        down: Int,
        expected: [Double]?
    ) {
        let payload =
            Data("JFIF\0".utf8) + [1, 2, unit] + bigEndian16(across) + bigEndian16(down) + Data([0, 0])
        let file = Data([0xFF, 0xD8, 0xFF, 0xE0]) + bigEndian16(payload.count + 2) + payload
        let density = Self.details(of: file).density
        #expect(density.map { [$0.horizontal, $0.vertical] } == expected)
    }

    @Test func `the density of the Exif block takes precedence`() throws {
        var builder = ExifBuilder()
        builder.image += [
            (0x011A, .rationals([(240, 1)])), (0x011B, .rationals([(481, 2)])), (0x0128, .short(2)),
        ]
        let plain = try JPEGEncoder().encode(Self.image)
        let details = Self.details(of: jpeg(plain, inserting: 0xE1, Data("Exif\0\0".utf8) + builder.block))
        #expect(details.density == PixelDensity(horizontal: 240, vertical: 240.5))
        #expect(details.exif == Exif(block: builder.block) && details.pageCount == 1)
        builder.image[builder.image.count - 1].value = .short(3)
        #expect(
            ExifDirectory(builder.block)?.density
                == PixelDensity(horizontal: 240 * 2.54, vertical: 240.5 * 2.54)
        )
        builder.image[builder.image.count - 1].value = .short(1)
        #expect(ExifDirectory(builder.block)?.density == nil, "a ratio only")
    }

    @Test(arguments: ["Display P3", "Größe \u{1F308}"])
    func `the name of a profile is read in both forms, from several segments`(name: String) throws {
        let plain = try JPEGEncoder().encode(Self.image)
        for profile in [Self.profile(Self.text(name)), Self.profile(Self.unicode(name))] {
            let whole = jpeg(plain, inserting: 0xE2, Self.segment(ofProfile: profile))
            #expect(Self.details(of: whole).profileName == name)
            let halves = (profile.prefix(150), profile.dropFirst(150))
            // Inserted at the start: the second segment comes first in the file.
            var parts = jpeg(plain, inserting: 0xE2, Self.segment(ofProfile: halves.0, 1, of: 2))
            parts = jpeg(parts, inserting: 0xE2, Self.segment(ofProfile: halves.1, 2, of: 2))
            #expect(Self.details(of: parts).profileName == name)
        }
    }

    // MARK: - Other formats

    @Test func `PNG states density, the name of its profile, and coded colours`() throws {
        let plain = PNGParts(try PNGEncoder().encode(Self.image))
        func details(_ chunks: [(String, Data)]) -> ImageDetails {
            var parts = plain
            for (type, payload) in chunks { parts.insert(type, payload, before: "IDAT") }
            return Self.details(of: parts.data)
        }
        #expect(details([]) == ImageDetails())
        let metres = bigEndian32(11_811) + bigEndian32(2835)
        #expect(details([("pHYs", metres + [1])]).density == PixelDensity(horizontal: 300, vertical: 72.01))
        #expect(details([("pHYs", metres + [0])]).density == nil)
        let profile = ("iCCP", Data("Caf\u{E9}".unicodeScalars.map { UInt8($0.value) }) + [0, 0, 1, 2, 3])
        #expect(details([profile]).profileName == "Café")
        #expect(details([profile, ("cICP", Data([12, 13, 0, 1]))]).profileName == "Display P3")
        #expect(details([("cICP", Data([1, 13, 0, 1]))]).profileName == nil, "sRGB")
    }

    @Test func `WebP states its profile and the subsampling of its lossy form`() throws {
        #expect(try Self.details(of: WebPEncoder().encode(Self.image)).chromaSubsampling == .quarter)
        #expect(try Self.details(of: WebPEncoder(isLossless: true).encode(Self.image)) == ImageDetails())
    }

    @Test(.enabled(if: CodecRegistry.standard.encoder(for: .avif) != nil))
    func `AVIF states the subsampling of its image`() throws {
        let expected: [(AVIFEncoder.ChromaSubsampling, ImageDetails.ChromaSubsampling)] = [
            (.yuv444, .full), (.yuv422, .halfWidth), (.yuv420, .quarter),
        ]
        for (encoded, shown) in expected {
            let encoder = AVIFEncoder(speed: 10, chromaSubsampling: encoded)
            #expect(try Self.details(of: encoder.encode(Self.image)).chromaSubsampling == shown)
        }
    }

    @Test func `TIFF states density, profile and pages`() {
        var file = TIFFFile(width: 2, strips: [[1, 2]])
        file.profile = Self.profile(Self.text("Scanner"))
        file.others[282] = (5, littleEndian(600) + littleEndian(1), 1)
        file.others[283] = (5, littleEndian(600) + littleEndian(2), 1)
        let details = Self.details(of: file.data)
        #expect(details.density == PixelDensity(horizontal: 600, vertical: 300))
        #expect(details.profileName == "Scanner" && details.pageCount == 1)
    }

    @Test func `BMP states pixels per metre`() throws {
        var file = try BMPEncoder().encode(Self.image)
        file.replaceSubrange(38..<46, with: littleEndian(2835) + littleEndian(5669))
        #expect(Self.details(of: file).density == PixelDensity(horizontal: 72.01, vertical: 143.99))
        file.replaceSubrange(38..<46, with: Data(count: 8))
        #expect(Self.details(of: file).density == nil)
    }

    // MARK: - Hostile files

    @Test func `a density that is zero, not a number or beyond all printers is nil`() {
        for value in [0, -1, .nan, .infinity, 1e7, -.infinity] as [Double] {
            #expect(PixelDensity(horizontal: value, vertical: 72) == nil)
            #expect(PixelDensity(horizontal: 72, vertical: value) == nil)
        }
        var builder = ExifBuilder()
        builder.image += [
            (0x011A, .rationals([(1, 0)])), (0x011B, .rationals([(0, 0)])), (0x0128, .short(2)),
        ]
        #expect(ExifDirectory(builder.block)?.density == nil)
    }

    @Test func `a profile with wrong counts and offsets has no name`() {
        let whole = Self.profile(Self.text("Name"))
        #expect(ProfileName.ofICC(whole) == "Name")
        for count in [0, 4, 127, 128, 131, 132, 140, 155] {
            #expect(ProfileName.ofICC(whole.prefix(count)) == nil)
        }
        // The count of tags, then offset and size of the second tag, then the count of characters.
        let place = 128 + 4 + 12 + 4
        for (offset, bytes) in [(place, 4), (place + 4, 4), (128, 4)] {
            for value in [UInt8.max, 0x7F] {
                var damaged = Data(whole)
                damaged.replaceSubrange(
                    offset..<offset + bytes,
                    with: [UInt8](repeating: value, count: bytes)
                )
                let name = ProfileName.ofICC(damaged)
                #expect(name == nil || name == "Name")
            }
        }
        let long = String(repeating: "é", count: 10_000)
        for description in [Self.text(long), Self.unicode(long)] {
            let name = ProfileName.ofICC(Self.profile(description))
            #expect((name?.utf8.count ?? 0) <= ImageDetails.maxNameByteCount && name?.isEmpty == false)
        }
        #expect(ProfileName.ofICC(Self.profile(Self.text("\u{1B}[31m\u{7}red\n"))) == "[31mred")
        #expect(ProfileName.ofICC(Self.profile(Self.text("\u{1}\u{2}"))) == nil)
        let endless = Data("desc".utf8) + Data(count: 4) + bigEndian32(-1) + Data("no end".utf8)
        #expect(ProfileName.ofICC(Self.profile(endless)) == "no end")
    }

    @Test func `an Exif block of 60 MB is read without a scan of it`() {
        var builder = ExifBuilder()
        builder.image[0].value = .claim(type: 2, count: 0xFFFF_FFFF, offset: 30 << 20)
        builder.image[1].value = .claim(type: 5, count: 0x8000_0000, offset: 0xFFFF_FFFF)
        let block = builder.block + Data(count: 60 << 20)
        let exif = Exif(block: block)
        #expect(exif?.cameraMake == nil && exif?.cameraModel == nil && exif?.isoSpeed == 400)
        var png = PNGParts()
        png.chunks = [("IHDR", Data(count: 13)), ("eXIf", block), ("IEND", Data())]
        // Check sums are not verified, so that the test need not compute one of 60 MB.
        let file = png.chunks.reduce(PNGParts.signature) {
            $0 + bigEndian32($1.payload.count) + Data($1.type.utf8) + $1.payload + Data(count: 4)
        }
        #expect(Self.details(of: file).exif == exif)
    }

    @Test func `directories that contain themselves are read once`() {
        var builder = ExifBuilder()
        builder.photograph += [(0x8769, .long(8)), (0x8825, .long(8))]
        builder.position += [(0x8769, .long(8))]
        #expect(Exif(block: builder.block)?.isoSpeed == 400)
    }

    @Test(
        arguments: [
            (2, [(33, 0), (0, 1), (0, 1)]), (2, [(91, 1), (0, 1), (0, 1)]), (4, [(181, 1), (0, 1), (0, 1)]),
            (2, [(0xFFFF_FFFF, 1), (0xFFFF_FFFF, 1), (1, 1)]), (4, [(1, 1), (0, 0), (0, 1)]),
        ] as [(Int, [(Int, Int)])]
    )
    func `a position off the earth, or without a number, is nil`(tag: Int, values: [(Int, Int)]) throws {
        var builder = ExifBuilder()
        let index = try #require(builder.position.firstIndex { $0.tag == tag })
        builder.position[index].value = .rationals(values)
        let exif = try #require(Exif(block: builder.block))
        #expect(exif.location == nil && exif.isoSpeed == 400)
    }

    @Test func `damaged files of any format give details without a crash`() throws {
        var generator = SeededGenerator(seed: 378)
        let files = try [
            JPEGEncoder().encode(Self.image), PNGEncoder().encode(Self.image),
            WebPEncoder().encode(Self.image),
            TIFFFile(width: 2, strips: [[1, 2]]).data, BMPEncoder().encode(Self.image),
            ICOEncoder().encode(Self.image), ExifBuilder().block,
        ]
        for file in files {
            for _ in 0..<300 {
                var damaged = Data(file.prefix(Int.random(in: 1...file.count, using: &generator)))
                for _ in 0..<4 {
                    let place = Int.random(in: 0..<damaged.count, using: &generator)
                    damaged[place] = UInt8.random(in: 0...255, using: &generator)
                }
                let details = Self.details(of: damaged)
                #expect((1...PageIndex.maxCount).contains(details.pageCount))
            }
        }
    }
}
