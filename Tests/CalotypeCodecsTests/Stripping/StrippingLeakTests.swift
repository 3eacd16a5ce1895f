import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

/// Parts of a file that decoders ignore but that can hold data.
@Suite(.gated) struct StrippingLeakTests {
    private static let codecs = CodecRegistry.standard
    private static let secret = Data("secret place".utf8)

    private static func jpegFile(_ encoder: JPEGEncoder = JPEGEncoder()) throws -> Data {
        try encoder.encode(TestImages.photograph(PixelSize(width: 40, height: 24), seed: 1))
    }

    private static func strip(_ file: Data) throws -> Data {
        try codecs.strippingMetadata(from: file)
    }

    // MARK: - JPEG

    @Test(arguments: [0x02, 0x4F, 0xBF, 0xC8, 0xDC, 0xF0, 0xF7, 0xFD] as [UInt8])
    func `a segment that decoders ignore is removed`(marker: UInt8) throws {
        let file = try jpeg(Self.jpegFile(), inserting: marker, Self.secret)
        let stripped = try Self.strip(jpeg(file, inserting: 0xFE, Self.secret))
        #expect(stripped.range(of: Self.secret) == nil)
        #expect(try Self.codecs.decode(stripped).bytes == Self.codecs.decode(Self.jpegFile()).bytes)
    }

    @Test func `a missing end is not added`() throws {
        for encoder in [JPEGEncoder(), JPEGEncoder(isProgressive: true)] {
            let file = try Self.jpegFile(encoder)
            let scans = file.indices.filter { file[$0] == 0xFF && file.dropFirst($0 + 1).first == 0xDA }
            // Between two scans, and after the last.
            for end in scans.dropFirst() + [file.count - 2] {
                let stripped = try Self.strip(file.prefix(end))
                let (before, after) = (
                    decodeError { try Self.codecs.decode(file.prefix(end)) },
                    decodeError { try Self.codecs.decode(stripped) }
                )
                #expect(before?.code == after?.code, "\(end) of \(file.count)")
                #expect(try Self.strip(stripped) == stripped)
            }
        }
    }

    @Test func `a segment that is shorter than its length is an error`() throws {
        let file = try Self.jpegFile()
        let scan = try #require(file.range(of: Data([0xFF, 0xDA])))
        var damaged = file
        damaged.insert(contentsOf: [0xFF, 0xE5, 0, 1], at: scan.lowerBound)
        #expect(decodeError { try Self.strip(damaged) }?.code == .corrupt)
        // The image is complete before the last segment.
        damaged = file.dropLast(2) + [0xFF, 0xE5, 1, 0, 5]
        #expect(try Self.strip(damaged) == Self.strip(file.dropLast(2)))
        #expect(try Self.codecs.decode(damaged).bytes == Self.codecs.decode(file).bytes)
    }

    @Test func `the orientation is the one that decoders read`() throws {
        let exif = Data("Exif\0\0".utf8)
        let turned = exif + exifBlock(orientation: 6)
        let bare = try Self.jpegFile()
        let afterEmpty = jpeg(jpeg(bare, inserting: 0xE1, turned), inserting: 0xE1, exif)
        var afterPadding = jpeg(jpeg(bare, inserting: 0xE1, turned), inserting: 0xFE, Data([1]))
        afterPadding.insert(contentsOf: [0, 0x20, 0xFF, 0, 0xFF, 0xD0], at: 7)
        let many = (0..<20_001).reduce(into: Data([0xFF, 0xD8])) { file, _ in file += [0xFF, 0xFE, 0, 2] }
        let behindMany = many + jpeg(bare, inserting: 0xE1, turned).dropFirst(2)
        for file in [afterEmpty, afterPadding, behindMany] {
            let image = try Self.codecs.decode(file)
            #expect(image.size == PixelSize(width: 24, height: 40))
            #expect(try Self.codecs.decode(Self.strip(file)).bytes == image.bytes)
        }
        #expect(Self.codecs.exif(of: afterEmpty)?.orientation == .right)
        #expect(Self.codecs.exif(of: afterPadding)?.orientation == .right)
    }

    // MARK: - PNG

    private static func png() throws -> PNGParts {
        PNGParts(try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 9, height: 7), seed: 2)))
    }

    @Test func `the first of two Exif chunks is used`() throws {
        var parts = try Self.png()
        parts.insert("eXIf", exifBlock(orientation: 6), before: "IDAT")
        parts.insert("eXIf", exifBlock(orientation: 3), before: "IEND")
        let image = try Self.codecs.decode(parts.data)
        #expect(image.size == PixelSize(width: 7, height: 9))
        #expect(try Self.codecs.decode(Self.strip(parts.data)).bytes == image.bytes)
    }

    @Test(arguments: ["gAMA", "cHRM", "sRGB", "cICP", "mDCV", "cLLI", "pHYs", "sBIT", "bKGD", "tRNS", "IEND"])
    func `a chunk of an invalid length is removed`(type: String) throws {
        var parts = try Self.png()
        let bare = parts.data
        let payload = Data(count: 300) + Self.secret
        if type == "IEND" { parts.chunks.removeLast() }
        parts.insert(type, payload, before: "IDAT")
        if type == "IEND" { parts.chunks.append(parts.chunks.remove(at: parts.chunks.count - 2)) }
        let stripped = try Self.strip(parts.data)
        #expect(stripped.range(of: Self.secret) == nil)
        #expect(try Self.codecs.decode(stripped).bytes == Self.codecs.decode(bare).bytes)
    }

    // MARK: - WebP

    @Test func `Exif after the end of a WebP is ignored`() throws {
        let picture = TestImages.photograph(PixelSize(width: 9, height: 7), seed: 3)
        let file = try WebPEncoder(isLossless: true).encode(picture)
        let longer = file + WebPParts.chunk("EXIF", exifBlock(orientation: 6))
        let image = try Self.codecs.decode(longer)
        #expect(image.size == picture.size && image.metadata.exif == nil)
        #expect(Self.codecs.exif(of: longer) == nil)
        #expect(try Self.strip(longer) == Self.strip(file))
    }

    @Test func `a WebP with an unrecognised bitstream chunk is an error`() throws {
        let picture = TestImages.photograph(PixelSize(width: 24, height: 17), format: .rgba8)
        var parts = try WebPParts(WebPEncoder().encode(picture))
        parts.chunks[0].type = "VP80"
        #expect(try Self.codecs.decode(parts.data).size == picture.size)
        #expect(decodeError { try Self.strip(parts.data) }?.code == .corrupt)
    }

    // MARK: - GIF

    private static func gif(_ extensions: Data) -> GIFFile {
        GIFFile(
            width: 2,
            height: 2,
            frames: [.filled(1, width: 2, height: 2), .filled(2, width: 2, height: 2)],
            extensions: extensions
        )
    }

    @Test(arguments: [
        Data([3, 2, 0xAA, 0xBB, 3, 1, 4, 0]), Data([4, 1, 4, 0, 9]), Data([3, 1, 9, 0, 3, 1, 4, 0]),
        Data([3, 9, 4, 0]),
    ]) func `a loop count is read from the same block as by decoders`(blocks: Data) throws {
        let loop = Data([0x21, 0xFF, 11]) + Data("NETSCAPE2.0".utf8) + blocks
        let hidden = Data([UInt8(Self.secret.count)]) + Self.secret + [0]
        let file = Self.gif(loop + hidden).data
        let stripped = try Self.strip(file)
        #expect(try Self.codecs.decode(file).animation?.loopCount == .times(5))
        #expect(try Self.codecs.decode(stripped).animation?.loopCount == .times(5))
        #expect(stripped.range(of: Self.secret) == nil)
        #expect(try Self.strip(stripped) == stripped)
    }

    @Test func `a graphic control has four bytes`() throws {
        let hidden = Data([UInt8(Self.secret.count)]) + Self.secret + [0]
        let controls = Data([0x21, 0xF9, 4, 0, 50, 0, 0]) + hidden + Data([0x21, 0xF9]) + hidden
        var file = Self.gif(controls)
        // The frame has its own control after these; otherwise these apply.
        let own = Data([0x21, 0xF9, 4, 0, 10, 0, 0, 0])
        var bytes = file.data
        bytes.removeSubrange(try #require(bytes.range(of: own)))
        let stripped = try Self.strip(bytes)
        #expect(stripped.range(of: Self.secret.dropFirst(4)) == nil)
        let (before, after) = (try Self.codecs.decode(bytes), try Self.codecs.decode(stripped))
        #expect(before.animation?.duration == after.animation?.duration)
        // A frame is announced, but missing.
        file.trailer = own
        #expect(decodeError { try Self.codecs.decode(file.data) }?.code == .truncated)
        let cut = try Self.strip(file.data)
        #expect(decodeError { try Self.codecs.decode(cut) }?.code == .truncated)
    }
}
