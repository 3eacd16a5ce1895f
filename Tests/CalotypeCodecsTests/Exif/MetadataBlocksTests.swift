import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// Exif, XMP and IPTC of files: read, made upright, and written on request.
@Suite(.blocking, .inBothModes) struct MetadataBlocksTests {
    private static let kept = DecodeOptions(keepsMetadata: true)
    private static let options = EncodeOptions(keepsMetadata: true)
    private static let size = PixelSize(width: 24, height: 16)
    private static let xmp = Data(
        "<x:xmpmeta><rdf:RDF tiff:Orientation=\"6\"><a>å</a></rdf:RDF></x:xmpmeta>".utf8
    )
    private static let iptc = Data([0x1C, 2, 80, 0, 3]) + Data("Ann".utf8)

    private var codecs: CodecRegistry { .tested }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + bigEndian16(payload.count + 2) + payload
    }

    private static func jpeg(_ segments: [Data]) throws -> Data {
        let file = try JPEGEncoder(quality: 90).encode(TestImages.photograph(size))
        return file.prefix(2) + segments.reduce(Data(), +) + file.dropFirst(2)
    }

    private static func photoshop(_ resources: Data) -> Data {
        segment(0xED, Data("Photoshop 3.0\0".utf8) + resources)
    }

    private static func resource(_ id: Int, _ value: Data, claiming count: Int? = nil) -> Data {
        Data("8BIM".utf8) + bigEndian16(id) + bigEndian16(0) + bigEndian32(count ?? value.count) + value
            + Data(count: value.count % 2)
    }

    /// A JPEG with all blocks, lying on its side.
    private static func original(_ exif: Data) throws -> Data {
        try jpeg([
            segment(0xE1, Data("Exif\0\0".utf8) + exif),
            segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp),
            photoshop(resource(0x03ED, Data(count: 5)) + resource(0x0404, iptc)),
        ])
    }

    @Test(arguments: [false, true])
    func `blocks of a JPEG are read, and state upright pixels`(isLittleEndian: Bool) throws {
        var exif = ExifBuilder()
        exif.isLittleEndian = isLittleEndian
        let image = try codecs.decode(Self.original(exif.block), options: Self.kept)
        let blocks = try #require(image.metadata.blocks)
        #expect(image.metadata.orientation == .right && image.size == Self.size.transposed)
        #expect(ExifFields(blocks.exif).orientation == .up)
        var upright = try #require(Exif(block: exif.block))
        upright.orientation = .up
        #expect(Exif(block: blocks.exif) == upright)
        #expect(blocks.exif.count == exif.block.count && blocks.iptc == Self.iptc)
        let text = String(decoding: blocks.xmp, as: UTF8.self)
        #expect(text.contains("tiff:Orientation=\"1\"") && text.contains("å"))
        #expect(try codecs.decode(Self.original(exif.block)).metadata.blocks == nil)
    }

    @Test(
        arguments: [
            JPEGEncoder(), PNGEncoder(), WebPEncoder(), AVIFEncoder(speed: 10),
        ] as [any ImageEncoder]
    )
    func `blocks are written on request, with the size of the result`(encoder: any ImageEncoder) throws {
        var exif = ExifBuilder()
        exif.photograph += [(0xA002, .long(4000)), (0xA003, .short(3000))]
        let options = DecodeOptions(target: .fit(width: 8), keepsMetadata: true)
        let image = try codecs.decode(Self.original(exif.block), options: options)
        let silent = try encoder.tested.encode(image)
        let told = try encoder.adjusted(by: EncodeAdjustment(keepsMetadata: true)).tested.encode(image)
        #expect(silent.range(of: Data("Acme".utf8)) == nil && told.count > silent.count)
        let again = try codecs.decode(told, options: Self.kept)
        #expect(again.size == image.size && again.metadata.orientation == .up)
        let (blocks, before) = (try #require(again.metadata.blocks), try #require(image.metadata.blocks))
        #expect(Exif(block: blocks.exif)?.cameraMake == "Acme")
        #expect(blocks.xmp == before.xmp)
        #expect(blocks.iptc == (encoder.format == .jpeg ? Self.iptc : Data()))
        let directory = try #require(ExifDirectory(blocks.exif))
        let fields = try #require(ExifDirectory(0x8769, of: directory))
        #expect(fields.integer(0xA002) == image.width && fields.integer(0xA003) == image.height)
        #expect(encoder.cacheIdentity.contains("metadata") == false)
        let adjusted = try encoder.adjusted(by: EncodeAdjustment(keepsMetadata: true))
        #expect(adjusted.cacheIdentity.contains("metadata=1"))
    }

    @Test func `the thumbnail of the original is removed`() throws {
        let secret = Data("thumbnail-secret".utf8)
        // One entry, the orientation; a second directory with a thumbnail at the end.
        let turn = bigEndian16(0x0112) + bigEndian16(3) + bigEndian32(1) + bigEndian16(6) + bigEndian16(0)
        let first = bigEndian16(1) + turn + bigEndian32(26)
        let place = bigEndian16(0x0201) + bigEndian16(4) + bigEndian32(1) + bigEndian32(56)
        let length = bigEndian16(0x0202) + bigEndian16(4) + bigEndian32(1) + bigEndian32(secret.count)
        let second = bigEndian16(2) + place + length + bigEndian32(0)
        let head = Data("MM\0*".utf8) + bigEndian32(8) + first
        #expect(head.count == 26 && second.count == 30)
        for tail in [Data(), Data(count: 9)] {
            let block = head + second + secret + tail
            var edited = try #require(EditedExif(block))
            edited.makeUpright()
            #expect(Data(edited.bytes).range(of: secret) == nil)
            #expect(ExifFields(Data(edited.bytes)).orientation == .up)
            #expect(edited.bytes[22..<26].allSatisfy { $0 == 0 })
        }
    }

    /// An Exif block of an orientation, and of a second directory with two values of type LONG.
    private static func block(_ values: [(tag: Int, value: Int)], _ tail: Data) -> Data {
        let turn = bigEndian16(0x0112) + bigEndian16(3) + bigEndian32(1) + bigEndian16(6) + bigEndian16(0)
        var block = Data("MM\0*".utf8) + bigEndian32(8) + bigEndian16(1)
        block += turn + bigEndian32(26) + bigEndian16(values.count)
        for (tag, value) in values {
            block += bigEndian16(tag) + bigEndian16(4) + bigEndian32(1) + bigEndian32(value)
        }
        return block + bigEndian32(0) + tail
    }

    /// TIFF 6.0 sections 8 and 15: strips and tiles.
    @Test(arguments: [(0x0111, 0x0117), (0x0144, 0x0145), (0x0201, 0x0202)])
    func `a thumbnail of any kind is removed`(offset: Int, count: Int) throws {
        let secret = Data("thumbnail-secret".utf8)
        for tail in [Data(), Data("behind".utf8)] {
            let block = Self.block([(offset, 56), (count, secret.count)], secret + tail)
            var edited = try #require(EditedExif(block))
            edited.makeUpright()
            #expect(Data(edited.bytes).range(of: secret) == nil)
            #expect(Data(edited.bytes).suffix(tail.count) == tail)
        }
    }

    @Test func `a block whose thumbnail cannot be found is not kept`() throws {
        let secret = Data("thumbnail-secret".utf8)
        let whole = Self.block([(0x0111, 56), (0x0117, secret.count)], secret)
        var cut = whole
        // More entries than the block has bytes for.
        cut[26] = 0xFF
        let unknown = Self.block([(0x0111, 56)], secret)
        let repeated = Self.block([(0x0111, 8), (0x0117, 0x7FFF_FFFF), (0x0201, 9), (0x0202, 99)], Data())
        for block in [cut, unknown, repeated] {
            var edited = try #require(EditedExif(block))
            edited.makeUpright()
            #expect(edited.bytes.isEmpty)
            edited.setSize(Self.size)
        }
    }

    @Test func `a preview in the notes of the camera is removed`() throws {
        let preview = Data([0xFF, 0xD8, 0xFF, 0xDB]) + Data("preview-secret".utf8)
        var exif = ExifBuilder()
        exif.photograph.append((0x927C, .bytes([UInt8]("Maker\0".utf8) + preview, type: 7)))
        var edited = try #require(EditedExif(exif.block))
        edited.makeUpright()
        #expect(exif.block.range(of: preview) != nil)
        #expect(Data(edited.bytes).range(of: Data("Maker".utf8)) != nil)
        #expect(Data(edited.bytes).range(of: Data("secret".utf8)) == nil)
    }

    /// XMP specification part 2, section 8.3: `xmp:Thumbnails`.
    @Test(arguments: ["http://ns.adobe.com/xap/1.0/g/img/", "http://ns.google.com/photos/1.0/image/"])
    func `XMP with an image is not kept`(namespace: String) {
        let image = "<a:image xmlns:a=\"\(namespace)\">/9j/thumbnail-secret</a:image>"
        let list = "<rdf:Alt><rdf:li rdf:parseType=\"Resource\">\(image)</rdf:li></rdf:Alt>"
        let packet = "<x:xmpmeta><rdf:RDF><xmp:Thumbnails>\(list)</xmp:Thumbnails></rdf:RDF></x:xmpmeta>"
        #expect(XMPPacket.upright(Data(packet.utf8)).isEmpty)
    }

    @Test(arguments: [Data([0x1C, 2, 202, 0, 3]), Data([0x1C, 8, 10, 0, 3]), Data([0x1C, 2, 25, 0x80, 4])])
    func `records with a preview are not kept`(start: Data) throws {
        let records = Self.iptc + start + Data("abc".utf8)
        let file = try Self.jpeg([Self.photoshop(Self.resource(0x0404, records))])
        #expect(try codecs.decode(file, options: Self.kept).metadata.blocks == nil)
    }

    // MARK: Hostile

    @Test func `a block that points outside or at itself is edited within its bounds`() throws {
        var random = SeededGenerator(seed: 5)
        let block = ExifBuilder().block
        for _ in 0..<3_000 {
            var changed = block
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            guard var edited = EditedExif(changed) else { continue }
            edited.makeUpright()
            edited.setSize(PixelSize(width: 70_000, height: 1))
            #expect(edited.bytes.count <= block.count)
        }
        for count in 0..<block.count where EditedExif(block.prefix(count)) != nil {
            var edited = try #require(EditedExif(block.prefix(count)))
            edited.makeUpright()
        }
        // The directory is its own thumbnail and its own next directory.
        let place = bigEndian16(0x0201) + bigEndian16(4) + bigEndian32(1) + bigEndian32(8)
        let length = bigEndian16(0x0202) + bigEndian16(4) + bigEndian32(1) + bigEndian32(0x7FFF_FFFF)
        let head = Data("MM\0*".utf8) + bigEndian32(8) + bigEndian16(2)
        let cycle = head + place + length + bigEndian32(8)
        var edited = try #require(EditedExif(cycle))
        edited.makeUpright()
        #expect(edited.bytes.count == cycle.count)
    }

    @Test func `a directory within the first one does not change its number of entries`() throws {
        let width = bigEndian16(0xA002) + bigEndian16(3) + bigEndian32(1)
        let height = bigEndian16(0xA003) + bigEndian16(3) + bigEndian32(1) + bigEndian32(0)
        // The value of the width is the number of entries of the first directory, at byte 30.
        let head = Data("MM\0*".utf8) + bigEndian32(30) + bigEndian16(2) + height + width
        let turn = bigEndian16(0x0112) + bigEndian16(3) + bigEndian32(1) + bigEndian16(6) + bigEndian16(0)
        let pointer = bigEndian16(0x8769) + bigEndian16(4) + bigEndian32(1) + bigEndian32(8)
        var edited = try #require(EditedExif(head + bigEndian16(2) + turn + pointer + bigEndian32(0)))
        edited.makeUpright()
        edited.setSize(PixelSize(width: 8, height: 6))
        #expect(EditedExif(Data(edited.bytes)) != nil && ExifFields(Data(edited.bytes)).orientation == .up)
    }

    @Test func `a block of 60 MB is not kept, and the image still decodes`() throws {
        let picture = TestImages.photograph(Self.size)
        var parts = WebPParts(try WebPEncoder().encode(picture))
        parts.extend(Self.size, "EXIF", ExifBuilder().block + Data(count: 60 << 20), flags: 8, isFirst: false)
        var options = Self.kept
        options.limits.maxByteCount = 64 << 20
        let image = try CodecRegistry.standard.decode(parts.data, options: options)
        // The Exif states a rotation.
        #expect(image.size == Self.size.transposed && image.metadata.blocks == nil)
    }

    @Test func `a block that a segment cannot hold is left out of a JPEG`() throws {
        let long = Self.xmp + Data(repeating: 0x20, count: 70_000)
        let blocks = MetadataBlocks(exif: ExifBuilder().block, xmp: long, iptc: Data(count: 65_600))
        let image = TestImages.photograph(Self.size)
        let described = image.replacing(animation: nil, metadata: ImageMetadata(blocks: blocks))
        let file = try JPEGEncoder(options: Self.options).tested.encode(described)
        let again = try #require(try codecs.decode(file, options: Self.kept).metadata.blocks)
        #expect(!again.exif.isEmpty && again.xmp.isEmpty && again.iptc.isEmpty)
        let png = try PNGEncoder(options: Self.options).tested.encode(described)
        #expect(try codecs.decode(png, options: Self.kept).metadata.blocks?.xmp.count == long.count)
    }

    @Test func `invalid XMP, and that of gain maps, is not kept`() {
        let packet = "<x:xmpmeta>"
        #expect(!XMPPacket.upright(Data(packet.utf8)).isEmpty)
        #expect(XMPPacket.upright(Data(packet.utf8) + [0xFF]).isEmpty)
        #expect(XMPPacket.upright(Data("<html>".utf8)).isEmpty && XMPPacket.upright(nil).isEmpty)
        let map = "\(packet) xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
        #expect(XMPPacket.upright(Data(map.utf8)).isEmpty)
        let long = Data(packet.utf8) + Data(repeating: 0x20, count: MetadataBlocks.maxByteCount)
        #expect(XMPPacket.upright(long).isEmpty)
        let element = XMPPacket.upright(Data("<rdf:RDF><tiff:Orientation>8</tiff:Orientation>".utf8))
        #expect(String(decoding: element, as: UTF8.self).contains("<tiff:Orientation>1<"))
    }

    @Test(arguments: [
        ("tiff:Orientation = \"6\"", 1), ("tiff:Orientation\n=\t'8'", 1), ("tiff:Orientation=\" 3\"", 1),
        ("><tiff:Orientation>\r\n 6</tiff:Orientation", 1), ("><tiff:Orientation >6</tiff:Orientation", 1),
        ("tiff:Orientation=\"6\" b='tiff:Orientation=\"7\"'", 2), ("tiff:Orientation", 0),
        ("tiff:Orientation=6 c=\"6\"", 0), ("tiff:Orientation=\"9\"", 0), ("tiff:OrientationX=\"6\"", 0),
        ("><a></tiff:Orientation> 6 ", 0),
    ])
    func `an orientation in XMP becomes 1 also between blanks`(property: String, count: Int) {
        let packet = "<rdf:RDF \(property)"
        let upright = XMPPacket.upright(Data(packet.utf8))
        let changes = zip(packet.utf8, upright).filter { $0 != $1 }
        #expect(upright.count == packet.utf8.count && changes.count == count)
        #expect(changes.allSatisfy { $0.1 == UInt8(ascii: "1") })
    }

    @Test(arguments: [
        resource(0x0404, iptc, claiming: 0x7FFF_FFFF), resource(0x0405, iptc, claiming: 0xFFFF_FFFF),
        Data("8BIM".utf8), Data("8BIM".utf8) + Data([4, 4, 255]), Data("8BIX".utf8) + Data(count: 20), Data(),
    ])
    func `resources with lying lengths have no records`(resources: Data) throws {
        let file = try Self.jpeg([Self.photoshop(resources)])
        #expect(try codecs.decode(file, options: Self.kept).metadata.blocks == nil)
    }
}
