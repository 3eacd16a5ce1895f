import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Strips and tiles with less or more data than their area.
@Suite(.blocking, .inBothModes) struct TIFFPackingTests {
    private func code(_ file: TIFFFile, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError { try TIFFDecoder().tested.decode(file.data, options: DecodeOptions(limits: limits)) }?
            .code
    }

    // MARK: - JPEG

    private static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        let size = PixelSize(width: width, height: height)
        return [UInt8](try JPEGEncoder().tested.encode(TestImages.photograph(size, format: .gray8)))
    }

    /// 64 × 96 pixels in two strips or in six tiles.
    private static func file(isTiled: Bool) throws -> TIFFFile {
        var file = TIFFFile(width: 64, height: 96, compression: 7, strips: [])
        if isTiled {
            file.tileSize = (32, 32)
            file.strips = Array(repeating: try jpeg(32, 32), count: 6)
        } else {
            file.rowsPerStrip = 64
            file.strips = [try jpeg(64, 64), try jpeg(64, 32)]
        }
        return file
    }

    @Test(arguments: [true, false]) func `JPEG without its end is truncated`(isTiled: Bool) throws {
        let whole = try Self.file(isTiled: isTiled)
        #expect(code(whole) == nil)
        for index in whole.strips.indices {
            for count in [2, whole.strips[index].count / 2, whole.strips[index].count - 2] {
                var cut = whole
                cut.strips[index].removeLast(whole.strips[index].count - count)
                #expect(code(cut) == .truncated, "\(count) bytes of piece \(index)")
            }
        }
    }

    @Test(arguments: [true, false]) func `JPEG that lacks pixels before its end is corrupt`(isTiled: Bool)
        throws
    {
        let whole = try Self.file(isTiled: isTiled)
        for index in whole.strips.indices {
            var cut = whole
            let count = cut.strips[index].count
            cut.strips[index].removeSubrange(count * 3 / 4..<count - 2)
            #expect(code(cut) == .corrupt, "piece \(index)")
        }
    }

    @Test(arguments: [true, false]) func `JPEG that differs in size from its tile is corrupt`(isTiled: Bool)
        throws
    {
        let whole = try Self.file(isTiled: isTiled)
        let size = whole.strips.count == 6 ? (32, 32) : (64, 64)
        for (width, height) in [(8, 8), (size.0 - 1, size.1), (size.0, size.1 - 1), (size.0 + 8, size.1)] {
            var other = whole
            other.strips[0] = try Self.jpeg(width, height)
            #expect(code(other) == .corrupt, "\(width)×\(height)")
        }
    }

    @Test func `the last JPEG strip may be as high as the others`() throws {
        var file = try Self.file(isTiled: false)
        let low = try TIFFDecoder().tested.decode(file.data, options: DecodeOptions())
        file.strips[1] = file.strips[0]
        let image = try TIFFDecoder().tested.decode(file.data, options: DecodeOptions())
        #expect(image.size == low.size && image.bytes.prefix(64 * 64) == low.bytes.prefix(64 * 64))
        file.strips[1] = try Self.jpeg(64, 65)
        #expect(code(file) == .corrupt)
    }

    @Test func `scans count together over all tiles`() throws {
        let side = 64
        var file = TIFFFile(width: 2 * side, height: side, compression: 7, strips: [])
        file.tileSize = (side, side)
        let scans = [UInt8](HostileJPEG.scans(side: side))
        let count = zip(scans, scans.dropFirst()).count { $0 == 0xFF && $1 == 0xDA }
        file.strips = [scans, scans]
        let pixels = 2 * count * side * side
        #expect(code(file, DecodeLimits(maxScanPixelCount: pixels)) == nil)
        #expect(code(file, DecodeLimits(maxScanPixelCount: pixels - 1)) == .limitExceeded)
    }

    // MARK: - CCITT

    /// Eight rows of 32 white pixels: one bit each, equal to the row above.
    private static func fax(_ codes: [UInt8]) -> TIFFFile {
        TIFFFile(width: 32, height: 8, bits: 1, photometric: 0, compression: 4, strips: [codes])
    }

    /// End of facsimile block.
    private static let end: [UInt8] = [0x00, 0x10, 0x01]

    @Test func `rows of group 4 are limited`() throws {
        let white = try decodeFax([0xFF] + Self.end)
        #expect(white.bytes.allSatisfy { $0 == 255 })
        // A file may end with its rows.
        #expect(code(Self.fax([0xFF])) == nil)
        // Seven rows, and then the end code.
        #expect(code(Self.fax([0xFE, 0x00, 0x20, 0x02])) == .corrupt)
        #expect(code(Self.fax([0xFE])) == .truncated)
        #expect(code(Self.fax(Self.end)) != nil)
    }

    @Test func `runs of group 4 are decoded`() throws {
        // Horizontal: 8 white, 8 black; horizontal: 16 white, none black. Then seven equal rows.
        let first = "001" + "10011" + "000101" + "001" + "101010" + "0000110111"
        let codes = Self.packed(first + String(repeating: "111", count: 7))
        let image = try decodeFax(codes)
        #expect((0..<256).allSatisfy { (8..<16).contains($0 % 32) == (image.bytes[$0] == 0) })
        #expect(code(Self.fax(Self.packed(first + String(repeating: "111", count: 6)))) == .truncated)
        // 40 white pixels in a row of 32.
        #expect(code(Self.fax(Self.packed("001" + "00101001" + "11") + [255, 255, 255])) == .corrupt)
        // Uncompressed mode, which no writer uses.
        #expect(code(Self.fax(Self.packed("0000001111") + [0xFF])) == .corrupt)
    }

    @Test func `group 4 may be stored lowest bit first`() throws {
        var file = Self.fax([0x7F, 0, 0x08, 0x80])
        #expect(code(file) != nil)
        file.shorts[266] = [2]
        #expect(code(file) == .corrupt)
        file.strips = [[0xFF, 0, 0x08, 0x80]]
        #expect(code(file) == nil)
    }

    @Test func `random codes of group 4 are rows or an error`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let codes = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect([nil, .corrupt, .truncated].contains(code(Self.fax(codes))))
        }
    }

    private func decodeFax(_ codes: [UInt8]) throws -> Image {
        try TIFFDecoder().tested.decode(Self.fax(codes).data, options: DecodeOptions())
    }

    private static func packed(_ bits: String) -> [UInt8] {
        let bits = bits.utf8.map { $0 - 0x30 }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            (start..<start + 8).reduce(0) { $0 << 1 | ($1 < bits.count ? bits[$1] : 0) }
        }
    }
}
