import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct HEICDecoderTests {
    static let size = PixelSize(width: 20, height: 14)

    static func parts(_ image: Image, isLossless: Bool = true) throws -> HEIFParts {
        let encoder = HEICEncoder(isLossless: isLossless)
        return HEIFParts(of: try encoder.encode(image), codec: "hvc1", configuration: "hvcC")
    }

    /// The parts of an image whose coded size equals its size.
    static func tile() throws -> HEIFParts {
        try parts(TestImages.photograph(PixelSize(width: 64, height: 64)))
    }

    private func code(_ file: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError { try HEICDecoder().tested.decode(file, options: DecodeOptions(limits: limits)) }?.code
    }

    // libheif 1.15 rotates RGB exactly, since it rotates after the conversion.
    @Test(arguments: HEIFTransforms.all)
    func `the transformations of the file are applied in the order of the standard`(
        transforms: HEIFTransforms
    ) throws {
        let image = TestImages.asymmetric(PixelSize(width: 64, height: 64))
        var parts = try Self.parts(image)
        transforms.add(to: &parts, of: image.size)
        let expected = transforms.applied(to: image)
        let shown = try HEICDecoder().tested.decode(
            parts.data,
            options: DecodeOptions(appliesOrientation: false)
        )
        #expect(shown.size == PixelSize(width: expected[0].count, height: expected.count))
        #expect(shown.bytes == Array(expected.joined().joined()))
        #expect(shown.metadata.orientation == .up)
        let info = try HEICDecoder().tested.info(of: parts.data, limits: DecodeLimits())
        #expect(info.size == shown.size && info.orientation == .up)
    }

    /// A grid of two equal tiles, of 100 × 64 pixels.
    static func grid() throws -> HEIFParts {
        var parts = try tile()
        parts.items[0].id = 2
        parts.properties.append(HEIFParts.spatialExtents(100, 64))
        parts.items.append(
            .init(
                id: 1,
                type: "grid",
                data: HEIFParts.grid(rows: 1, columns: 2, 100, 64),
                properties: [UInt8(parts.properties.count)]
            )
        )
        parts.references = [("dimg", 1, [2, 2])]
        return parts
    }

    @Test func `tiles are combined into one image`() throws {
        let tile = TestImages.photograph(PixelSize(width: 64, height: 64))
        let parts = try Self.grid()
        let image = try HEICDecoder().tested.decode(parts.data, options: DecodeOptions())
        #expect(image.size == PixelSize(width: 100, height: 64))
        for y in 0..<64 {
            let (left, right) = (y * 64 * 3, y * 100 * 3)
            #expect(image.bytes[right..<right + 192] == tile.bytes[left..<left + 192])
            #expect(image.bytes[(right + 192)..<(right + 300)] == tile.bytes[left..<left + 108])
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `the decoded size follows the target's rule`(format: PixelFormat) throws {
        let file = try HEICEncoder().tested
            .encode(TestImages.photograph(PixelSize(width: 101, height: 63), format: format))
        let options = DecodeOptions(target: .fit(PixelBox(width: 30)), scale: 2)
        let small = try HEICDecoder().tested.decode(file, options: options)
        #expect(small.size == PixelSize(width: 30, height: 19))
        #expect(small.scale == 2 && small.pixelFormat == format)
    }

    // MARK: - Limits

    @Test(arguments: [(65535, 65535), (10_001, 10_000), (2_147_483_647, 2_147_483_647)])
    func `a header with an excessive size is refused`(width: Int, height: Int) throws {
        var parts = try Self.tile()
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "ispe".utf8) })
        parts.properties[index] = HEIFParts.spatialExtents(width, height)
        #expect(code(parts.data) == .limitExceeded)
        let file = parts.data
        #expect(
            decodeError { try HEICDecoder().tested.info(of: file, limits: DecodeLimits()) }?.code
                == .limitExceeded
        )
    }

    @Test func `each limit is enforced exactly`() throws {
        let file = try HEICEncoder().tested.encode(TestImages.photograph(PixelSize(width: 64, height: 64)))
        #expect(code(file, DecodeLimits(maxPixelCount: 4096)) == nil)
        #expect(code(file, DecodeLimits(maxPixelCount: 4095)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxByteCount: file.count)) == nil)
        #expect(code(file, DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
    }

    @Test func `the size in the stream counts against the limit`() throws {
        var parts = try Self.parts(TestImages.photograph(PixelSize(width: 128, height: 128)))
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "ispe".utf8) })
        parts.properties[index] = HEIFParts.spatialExtents(8, 8)
        // A 64-pixel block on each side may be padding.
        #expect(code(parts.data, DecodeLimits(maxPixelCount: 65 * 65 - 1)) == .limitExceeded)
    }

    @Test func `the size in parameter sets among the slices counts against the limit`() throws {
        var parts = try Self.tile()
        let large = try HEICEncoder().tested.encode(
            TestImages.photograph(PixelSize(width: 128, height: 128))
        )
        let configuration = try #require(HEIFParts.box("hvcC", in: large))
        let place = try #require(
            configuration.indices.first { configuration[$0...].starts(with: [0x42, 0x01]) }
        )
        let count = Int(configuration[place - 2]) << 8 | Int(configuration[place - 1])
        let unit = configuration[place...].prefix(count)
        parts.items[0].data = bigEndian32(count) + unit + parts.items[0].data
        #expect(code(parts.data, DecodeLimits(maxPixelCount: 65 * 65 - 1)) == .limitExceeded)
    }

    @Test(arguments: ["grid", "iovl"])
    func `the size of a canvas counts against the limit`(type: String) throws {
        var parts = try Self.tile()
        let canvas = HEIFParts.grid(rows: 1, columns: 1, 60_000, 60_000)
        parts.items[0].id = 2
        let data =
            type == "grid" ? canvas : Data([0, 1]) + Data(count: 8) + canvas.dropFirst(4) + Data(count: 8)
        parts.items.append(.init(id: 1, type: type, data: data, properties: [2]))
        parts.references = [("dimg", 1, [2])]
        #expect(code(parts.data) == .limitExceeded)
    }

    // MARK: - References

    @Test(arguments: ["grid", "iden"])
    func `an item derived from itself is corrupt`(type: String) throws {
        var parts = try Self.tile()
        let grid = HEIFParts.grid(rows: 1, columns: 1, 64, 64)
        let data = type == "grid" ? grid : Data()
        parts.items = [
            .init(id: 1, type: type, data: data, properties: [2]),
            .init(id: 2, type: type, data: data, properties: [2]),
        ]
        for ring in [[("dimg", 1, [1])], [("dimg", 1, [2]), ("dimg", 2, [1])]] {
            parts.references = ring
            #expect(code(parts.data) == .corrupt)
        }
    }

    @Test func `cyclic alpha references are corrupt`() throws {
        var parts = try Self.tile()
        parts.add(HEIFParts.fullBox("auxC", Data("urn:mpeg:hevc:2015:auxid:1\0".utf8)))
        var second = parts.items[0]
        second.id = 2
        parts.items.append(second)
        parts.references = [("auxl", 1, [2]), ("auxl", 2, [1])]
        #expect(code(parts.data) == .corrupt)
    }

    @Test func `nested items count before any is decoded`() throws {
        var parts = try Self.tile()
        let grid = HEIFParts.grid(rows: 8, columns: 8, 64, 64)
        parts.items[0].id = 4
        parts.items += (1...3).map { .init(id: $0, type: "grid", data: grid, properties: [2]) }
        parts.references = (1...3).map { ("dimg", $0, Array(repeating: $0 + 1, count: 64)) }
        #expect(code(parts.data) == .limitExceeded)
    }

    @Test func `bytes shared by tiles count for each tile`() throws {
        var parts = try Self.tile()
        parts.items[0].id = 2
        parts.items[0].data += Data(count: 10_000)
        let grid = HEIFParts.grid(rows: 30, columns: 30, 64, 64)
        parts.items.append(.init(id: 1, type: "grid", data: grid, properties: [2]))
        parts.references = [("dimg", 1, Array(repeating: 2, count: 900))]
        #expect(code(parts.data, DecodeLimits(maxByteCount: 4_000_000)) == .limitExceeded)
    }

    @Test func `a sequence without a still image is not supported`() {
        let head = HEIFParts.box("ftyp", Data("hevc".utf8) + Data(count: 4) + Data("hevc".utf8))
        #expect(code(head + HEIFParts.box("moov", Data())) == .unsupportedFeature)
    }
}
