import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.gated) struct ExifTests {
    private static let image = TestImages.photograph(PixelSize(width: 40, height: 24), format: .rgb8)
    private static let prefix = Data("Exif\0\0".utf8)

    private static func encoded(_ format: ImageFormat) throws -> Data {
        let encoder = try #require(CodecRegistry.standard.encoder(for: format))
        return try encoder.encode(image)
    }

    @Test(arguments: [false, true])
    func `a block of either byte order gives every field`(isLittleEndian: Bool) throws {
        let exif = try #require(Exif(block: ExifBuilder(isLittleEndian: isLittleEndian).block))
        #expect(exif.cameraMake == "Acme" && exif.cameraModel == "Acme X100")
        #expect(exif.software == "Firmware 1.2" && exif.orientation == .right)
        #expect(exif.exposureTime == 0.004 && exif.fNumber == 2.8 && exif.isoSpeed == 400)
        #expect(exif.focalLength == 23.5 && exif.focalLengthIn35mmFilm == 35)
        #expect(exif.lensMake == "Glass & Co" && exif.lensModel == "23mm f/2 Ω")
        let location = try #require(exif.location)
        #expect(abs(location.latitude + 33.8598333) < 1e-6 && abs(location.longitude - 151.21) < 1e-9)
        #expect(location.altitude == -12.5)
        let date = try #require(exif.captureDate)
        #expect(date.description == "2026-03-01T12:34:56+05:30" && date.nanosecond == 250_000_000)
        #expect(date.timestamp?.nanosecondsSince1970 == 1_772_348_696_250_000_000)
    }

    @Test func `files of each format give the fields with and without decoding`() throws {
        let block = ExifBuilder().block
        var png = PNGParts(try Self.encoded(.png))
        png.insert("eXIf", block, before: "IEND")
        let files = try [
            jpeg(Self.encoded(.jpeg), inserting: 0xE1, Self.prefix + block), png.data,
            webP(Self.encoded(.webP), exif: block),
        ]
        let expected = Exif(block: block)
        for file in files {
            #expect(CodecRegistry.standard.exif(of: file) == expected)
            #expect(try CodecRegistry.standard.decode(file).metadata.exif == expected)
        }
        #expect(CodecRegistry.standard.exif(of: block) == expected)
        #expect(try CodecRegistry.standard.exif(of: Self.encoded(.jpeg)) == nil)
    }

    @Test func `the item of a HEIF file and the box of a JPEG XL give the fields`() throws {
        let block = ExifBuilder().block
        let expected = Exif(block: block)
        let payload = bigEndian32(6) + Self.prefix + block
        for brand in ["avif", "heic"] {
            #expect(CodecRegistry.standard.exif(of: heif(brand, exif: payload)) == expected, "\(brand)")
        }
        let signature = Data([0, 0, 0, 12]) + Data("JXL \r\n".utf8) + Data([0x87, 0x0A])
        let file = signature + isoBox("ftyp", Data("jxl \0\0\0\0jxl ".utf8)) + isoBox("Exif", payload)
        #expect(CodecRegistry.standard.exif(of: file) == expected)
    }

    @Test func `an item split into extents is joined up to a limit`() {
        let payload = Data(count: 4) + ExifBuilder().block
        let whole = CodecRegistry.standard.exif(of: heif("avif", exif: payload))
        #expect(whole != nil)
        let inThree = heif("avif", exif: payload, inPartsOf: payload.count / 2 - 1)
        #expect(CodecRegistry.standard.exif(of: inThree) == nil, "the last part has no length of its own")
        let long = heif("avif", exif: payload + Data(count: 3 << 20), inPartsOf: 2 << 20)
        #expect(CodecRegistry.standard.exif(of: long) == nil)
    }

    @Test func `an invalid field is nil and does not affect others`() throws {
        var builder = ExifBuilder()
        builder.image[0].value = .bytes([0x41, 0xFF, 0xFE, 0x41, 0], type: 2)
        builder.image[1].value = .claim(type: 2, count: 0xFFFF_FFFF, offset: 0xFFFF_FFF0)
        builder.image[3].value = .text(String(repeating: "x", count: 300))
        builder.photograph[0].value = .rationals([(1, 0)])
        builder.photograph[1].value = .claim(type: 5, count: 0x2000_0000, offset: 8)
        builder.photograph[2].value = .claim(type: 3, count: 0, offset: 0)
        builder.photograph[3].value = .text("2026:02:30 12:34:56")
        builder.photograph[6].value = .claim(type: 5, count: 1, offset: 0xFFFF_FFFF)
        builder.position[1].value = .rationals([(91, 1), (0, 1), (0, 1)])
        let exif = try #require(Exif(block: builder.block))
        var expected = Exif()
        (expected.orientation, expected.focalLengthIn35mmFilm) = (.right, 35)
        (expected.lensMake, expected.lensModel) = ("Glass & Co", "23mm f/2 Ω")
        #expect(exif == expected)
    }

    @Test func `directories that refer to each other end`() {
        var builder = ExifBuilder()
        builder.image += [(0x8769, .long(8)), (0x8825, .long(8))]
        let exif = Exif(block: builder.block)
        #expect(exif?.cameraMake == "Acme")
        // Both pointers refer to the first directory.
        var cyclic = ExifBuilder().block
        for tag in [0x8769, 0x8825] {
            guard let range = cyclic.range(of: bigEndian16(tag) + bigEndian16(4)) else { continue }
            cyclic.replaceSubrange(range.lowerBound + 8..<range.lowerBound + 12, with: bigEndian32(8))
        }
        let looped = Exif(block: cyclic)
        #expect(looped?.cameraMake == "Acme" && looped?.location == nil && looped?.captureDate == nil)
    }

    @Test func `blocks that are cut off or altered never trap`() {
        let block = ExifBuilder().block
        for count in 0..<block.count { _ = Exif(block: block.prefix(count)) }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var altered = block
            for _ in 0..<4 {
                altered[Int(random.next() % UInt64(altered.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = Exif(block: altered)
        }
    }

    @Test func `an invalid UTC offset or date is nil`() {
        for (offset, expected) in [("-03:30", -12_600), ("Z", nil), ("+99:00", nil)] as [(String, Int?)] {
            var builder = ExifBuilder()
            builder.photograph[4].value = .text(offset)
            #expect(Exif(block: builder.block)?.captureDate?.secondsFromUTC == expected)
        }
        #expect(Exif.CaptureDate(year: 2023, month: 2, day: 29) == nil)
        #expect(
            Exif.CaptureDate(year: 1970, month: 1, day: 1, secondsFromUTC: 0)?.timestamp?.date
                == Date(timeIntervalSince1970: 0)
        )
        #expect(Exif.CaptureDate(year: 2024, month: 2, day: 29)?.timestamp == nil)
    }
}

func isoBox(_ type: String, _ payload: Data) -> Data {
    bigEndian32(payload.count + 8) + Data(type.utf8) + payload
}

/// An extended WebP file with an EXIF chunk at its end.
func webP(_ file: Data, exif: Data, xmp: Data = Data()) -> Data {
    func chunk(_ type: String, _ payload: Data) -> Data {
        Data(type.utf8) + littleEndian(payload.count) + payload + Data(count: payload.count % 2)
    }
    let flags = UInt8(0x08) | (xmp.isEmpty ? 0 : 0x04)
    let header = Data([flags, 0, 0, 0]) + littleEndian(39, 3) + littleEndian(23, 3)
    let body =
        Data("WEBP".utf8) + chunk("VP8X", header) + file.dropFirst(12) + chunk("EXIF", exif)
        + (xmp.isEmpty ? Data() : chunk("XMP ", xmp))
    return Data("RIFF".utf8) + littleEndian(body.count) + body
}

private func heif(_ brand: String, exif: Data, inPartsOf byteCount: Int = .max) -> Data {
    let head = isoBox("ftyp", Data(brand.utf8) + Data(count: 4) + Data(("mif1" + brand).utf8))
    func meta(_ offset: Int) -> Data {
        let info = isoBox("infe", Data([2, 0, 0, 0]) + bigEndian16(1) + bigEndian16(0) + Data("Exif\0".utf8))
        let starts = Array(stride(from: 0, to: exif.count, by: byteCount))
        let place = starts.reduce(bigEndian16(1) + bigEndian16(0) + bigEndian16(starts.count)) {
            // The last extent continues to the end of the file.
            let count = $1 + byteCount < exif.count ? byteCount : starts.count > 1 ? 0 : exif.count
            return $0 + bigEndian32(offset + $1) + bigEndian32(count)
        }
        return isoBox(
            "meta",
            Data(count: 4) + isoBox("iinf", Data(count: 4) + bigEndian16(1) + info)
                + isoBox("iloc", Data(count: 4) + Data([0x44, 0]) + bigEndian16(1) + place)
        )
    }
    let offset = head.count + meta(0).count + 8
    return head + meta(offset) + isoBox("mdat", exif)
}
