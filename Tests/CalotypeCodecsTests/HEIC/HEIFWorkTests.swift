import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct HEIFWorkTests {
    private func code(_ file: Data) -> DecodeError.Code? {
        decodeError { try CodecRegistry.tested.info(of: file, limits: DecodeLimits()) }?.code
    }

    private static let large = PixelSize(width: 1_024, height: 1_024)

    private static func black() throws -> Image {
        try PNGDecoder().tested.decode(HostilePNG.black(large.width, large.height), options: DecodeOptions())
    }

    /// An image drawn repeatedly on nested canvases: the counts are per level, the outermost first.
    private func overlay(of image: HEIFParts, counts: [Int], _ canvas: PixelSize) -> Data {
        var parts = image
        parts.items[0].id = counts.count + 1
        parts.properties.append(HEIFParts.spatialExtents(canvas.width, canvas.height))
        let size = bigEndian32(canvas.width) + bigEndian32(canvas.height)
        parts.references = []
        for (level, count) in counts.enumerated() {
            let data = Data([0, 1]) + Data(count: 8) + size + Data(count: 8 * count)
            parts.items.append(
                .init(id: level + 1, type: "iovl", data: data, properties: [UInt8(parts.properties.count)])
            )
            parts.references.append(("dimg", level + 1, Array(repeating: level + 2, count: count)))
        }
        return parts.data
    }

    @Test func `pixels count as often as they are decoded`() throws {
        let image = try HEICDecoderTests.parts(
            Self.black(),
            isLossless: false
        )
        let small = PixelSize(width: 64, height: 64)
        // libheif 1.23 refuses overlays of more than five images.
        #expect(code(overlay(of: image, counts: [3, 3], small)) == nil)
        #expect(code(overlay(of: image, counts: [4, 5], small)) == .limitExceeded)
        #expect(code(overlay(of: image, counts: [20], small)) == .limitExceeded)
        #expect(code(overlay(of: image, counts: [20], Self.large)) == .limitExceeded)
    }

    @Test(arguments: ["irot", "imir", "clap"])
    func `an item may have one transformation of each kind`(type: String) throws {
        for parts in [
            try HEICDecoderTests.tile(),
            try AVIFDecoderTests.parts(TestImages.photograph(AVIFDecoderTests.size)),
        ] {
            var parts = parts
            let whole = [64, 1, 64, 1, 0, 1, 0, 1].reduce(Data()) { $0 + bigEndian32($1) }
            parts.add(HEIFParts.box(type, type == "clap" ? whole : Data([1])), isEssential: true)
            #expect(code(parts.data) == nil)
            parts.items[0].properties.append(UInt8(parts.properties.count) | 0x80)
            #expect(code(parts.data) == .corrupt)
        }
    }

    @Test func `slices are counted, since each may cover the whole image`() throws {
        var parts = try HEICDecoderTests.parts(
            Self.black(),
            isLossless: false
        )
        // The header of a slice other than the first.
        let slice = bigEndian32(3) + Data([40, 1, 0])
        parts.items[0].data += (0..<60).reduce(Data()) { data, _ in data + slice }
        #expect(code(parts.data) == nil)
        parts.items[0].data += (0..<60).reduce(Data()) { data, _ in data + slice }
        #expect(code(parts.data) == .limitExceeded)
    }

    // MARK: - AVIF

    @Test func `the size in an AV1 sequence header counts`() throws {
        let size = PixelSize(width: 128, height: 128)
        var parts = try AVIFDecoderTests.parts(TestImages.photograph(size))
        try parts.state(PixelSize(width: 128, height: 127))
        #expect(code(parts.data) == .corrupt)
        var grid = try AVIFDecoderTests.parts(TestImages.photograph(size))
        try grid.state(PixelSize(width: 8, height: 8))
        grid.makeGrid(rows: 8, columns: 8, PixelSize(width: 64, height: 64))
        #expect(code(grid.data) == .corrupt)
    }

    @Test func `hidden AV1 frames are counted`() throws {
        var parts = try AVIFDecoderTests.parts(Self.black())
        let stream = parts.items[0].data
        parts.items[0].data = (0..<9).reduce(Data()) { data, _ in data + stream }
        #expect(code(parts.data) == nil)
        parts.items[0].data = (0..<30).reduce(Data()) { data, _ in data + stream }
        #expect(code(parts.data) == .limitExceeded)
    }

    // MARK: - Units

    @Test func `an item may have one configuration`() throws {
        var parts = try HEICDecoderTests.tile()
        parts.items[0].properties.append(0x81)
        #expect(code(parts.data) == .corrupt)
    }

    @Test func `units are counted as often as they are read`() throws {
        var parts = try HEICDecoderTests.tile()
        let empty = Data(count: 4 * 1_000)
        parts.items[0].data = empty + parts.items[0].data
        #expect(code(parts.data) == nil)
        parts.makeGrid(rows: 8, columns: 8, PixelSize(width: 512, height: 512))
        #expect(code(parts.data) == .limitExceeded)
    }

    @Test func `units of a configuration are counted while they are read`() throws {
        var parts = try HEICDecoderTests.tile()
        let head = Data([1]) + Data(count: 21) + Data([1, 0x21])
        parts.properties[0] = HEIFParts.box("hvcC", head + bigEndian16(60_000) + Data(count: 120_000))
        #expect(code(parts.data) == .limitExceeded)
    }

    @Test func `associations are counted while they are read`() throws {
        var parts = try HEICDecoderTests.tile()
        parts.items = (1...1_000).map {
            .init(id: $0, type: "hvc1", data: Data(), properties: Array(repeating: 3, count: 255))
        }
        #expect(code(parts.data) == .limitExceeded)
    }

    // MARK: - References

    @Test(arguments: [true, false])
    func `the nesting depth of items does not depend on their identifiers`(isRising: Bool) throws {
        for (depth, expected) in [(8, nil), (9, DecodeError.Code.limitExceeded)] {
            let ids = isRising ? Array(1...depth) : (1...depth).reversed()
            var parts = try HEICDecoderTests.tile()
            let tile = parts.items[0]
            parts.primary = ids[0]
            parts.items = ids.map { .init(id: $0, type: "iden", data: Data(), properties: [2]) }
            parts.items[depth - 1].type = "hvc1"
            parts.items[depth - 1].data = tile.data
            parts.items[depth - 1].properties = tile.properties
            parts.references = zip(ids, ids.dropFirst()).map { ("dimg", $0, [$1]) }
            #expect(code(parts.data) == expected)
        }
    }
}
