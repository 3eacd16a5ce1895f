import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// Gain maps of JPEG: found, decoded and joined again.
@Suite(.blocking, .inBothModes) struct GainMapTests {
    private static let size = PixelSize(width: 64, height: 48)
    private static let kept = DecodeOptions(keepsGainMap: true)
    private static let parameters = GainMapParameters(
        values: ["GainMapMin": [-0.5], "GainMapMax": [2.25, 2, 1.5], "Gamma": [1], "HDRCapacityMax": [2.3]],
        standard: [0, 0, 0, 0, 0x40] + [UInt8](repeating: 7, count: 56)
    )

    private var codecs: CodecRegistry { .tested }

    private static func map(_ size: PixelSize, level: UInt8 = 180) -> Image {
        let pixels = unsafe PixelBuffer(byteCount: size.pixelCount) { target in
            for index in target.indices { unsafe target[index] = level }
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels)
    }

    private static func file(
        _ mapSize: PixelSize = PixelSize(width: 16, height: 12),
        _ parameters: GainMapParameters = parameters,
        extending base: Data? = nil
    ) throws -> Data {
        let base = try base ?? JPEGEncoder(quality: 90).encode(TestImages.photograph(size))
        let map = try JPEGEncoder(quality: 90).encode(map(mapSize))
        return try #require(GainMapFile.joined(base, map: map, parameters))
    }

    private static func long(_ bytes: Data, _ offset: Int) -> Int {
        bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func `both images are where the index says, and the first shows without the second`() throws {
        let exif = Data("Exif\0\0".utf8) + ExifBuilder().block
        let plain = try JPEGEncoder(quality: 90).encode(TestImages.photograph(Self.size))
        let head = Data([0xFF, 0xE1]) + bigEndian16(exif.count + 2) + exif
        let base = plain.prefix(2) + head + plain.dropFirst(2)
        let file = try Self.file(extending: base)
        let header = try #require(file.firstRange(of: Data("MPF\0".utf8))).upperBound
        #expect(file[header..<header + 8] == Data("MM\0*".utf8) + bigEndian32(8))
        // The second entry of 16 bytes: attribute, size, offset.
        let (byteCount, offset) = (Self.long(file, header + 70), Self.long(file, header + 74))
        let second = header + offset
        #expect(second + byteCount == file.count && Self.long(file, header + 54) == second)
        #expect(file[second..<second + 3] == Data([0xFF, 0xD8, 0xFF]))
        #expect(file[(second - 2)..<second] == Data([0xFF, 0xD9]))
        let text = String(decoding: file.prefix(2_000), as: UTF8.self)
        #expect(text.contains("Item:Length=\"\(byteCount)\""))
        // The Exif comes first, as its standard requires.
        #expect(file.dropFirst(20).prefix(64).firstRange(of: Data("Exif".utf8)) != nil || file[3] == 0xE1)
        #expect(try codecs.decode(file).bytes == codecs.decode(base).bytes)
    }

    @Test func `a map is decoded with its parameters`() throws {
        let image = try codecs.decode(Self.file(), options: Self.kept)
        let map = try #require(image.metadata.gainMap)
        #expect(map.image.size == PixelSize(width: 16, height: 12) && map.scale == 0.25)
        #expect(map.parameters == Self.parameters)
        #expect(map.image.rgba8().first.map { abs(Int($0) - 180) <= 2 } == true)
        #expect(try codecs.decode(Self.file()).metadata.gainMap == nil)
        let plain = try JPEGEncoder().encode(TestImages.photograph(Self.size))
        #expect(try codecs.decode(plain, options: Self.kept).metadata.gainMap == nil)
    }

    @Test func `a map is never larger than the decoded image, and turned with it`() throws {
        let exif = Data("Exif\0\0".utf8) + ExifBuilder().block
        let plain = try JPEGEncoder(quality: 90).encode(TestImages.photograph(Self.size))
        let head = Data([0xFF, 0xE1]) + bigEndian16(exif.count + 2) + exif
        let file = try Self.file(Self.size, extending: plain.prefix(2) + head + plain.dropFirst(2))
        var options = Self.kept
        options.target = .fit(width: 24)
        let image = try codecs.decode(file, options: options)
        #expect(image.size == PixelSize(width: 24, height: 32))
        #expect(image.metadata.gainMap?.image.size == image.size && image.metadata.gainMap?.scale == 1)
    }

    // MARK: Hostile

    @Test func `a map larger than its image is ignored`() throws {
        let file = try Self.file(PixelSize(width: 65, height: 48))
        #expect(try codecs.decode(file, options: Self.kept).metadata.gainMap == nil)
    }

    @Test func `an index that points outside, or at its own image, gives the image alone`() throws {
        let file = try Self.file()
        let plain = try codecs.decode(file)
        let header = try #require(file.firstRange(of: Data("MPF\0".utf8))).upperBound
        // The offset of the directory, of the entries and of the map; its size; the number of tags.
        for place in [4, 8, 38, 42, 70, 74] {
            for value in [0, 1, 8, 50, 0x7FFF_FFFF, 0xFFFF_FFFF, file.count, file.count - header] {
                var changed = file
                changed.replaceSubrange(header + place..<header + place + 4, with: bigEndian32(value))
                let image = try codecs.decode(changed, options: Self.kept)
                #expect(image.bytes == plain.bytes && image.size == plain.size, "\(place) \(value)")
            }
        }
    }

    @Test func `a damaged map is ignored`() throws {
        let file = try Self.file()
        let second = try #require(file.range(ofLast: Data([0xFF, 0xD8])))
        for count in stride(from: second + 2, to: file.count, by: 7) {
            let image = try codecs.decode(file.prefix(count), options: Self.kept)
            #expect(image.metadata.gainMap == nil && image.size == Self.size)
        }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var changed = file
            for _ in 0..<4 {
                let place = Int.random(in: second..<file.count, using: &random)
                changed[place] = UInt8.random(in: 0...255, using: &random)
            }
            #expect(try codecs.decode(changed, options: Self.kept).size == Self.size)
        }
    }

    @Test(arguments: [
        "hdrgm:GainMapMax=\"nan\"", "hdrgm:GainMapMax=\"1e400\"", "hdrgm:GainMapMax=\"-65\"",
        "hdrgm:GainMapMax=\"", "hdrgm:GainMapMin=\"1\"",
        "hdrgm:GainMapMax=\"2\" hdrgm:BaseRenditionIsHDR=\"True\"",
        "hdrgm:GainMapMax=\"2\" hdrgm:Gamma=\"0\"",
        "><hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>1</rdf:li></rdf:Seq></hdrgm:GainMapMax>",
    ])
    func `invalid parameters make no map`(properties: String) throws {
        let names = "xmlns=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
        let packet = "http://ns.adobe.com/xap/1.0/\0\(names) \(properties)"
        let segment = Data([0xFF, 0xE1]) + bigEndian16(packet.utf8.count + 2) + Data(packet.utf8)
        let map = try JPEGEncoder().encode(Self.map(PixelSize(width: 4, height: 4)))
        #expect(GainMapParameters(ofFile: map.prefix(2) + segment + map.dropFirst(2)) == nil)
    }
}

extension Data {
    /// The offset of the last occurrence of bytes.
    fileprivate func range(ofLast pattern: Data) -> Int? {
        indices.dropLast(pattern.count - 1).last { self[$0..<$0 + pattern.count] == pattern }
    }
}
