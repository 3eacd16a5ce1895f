import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// HEIC and AVIF that omit parts of the image: earlier memory contents must not be shown.
@Suite(.blocking) struct HEIFLeakTests {
    private func error(_ file: Data) -> DecodeError? {
        decodeError { try CodecRegistry.standard.decode(file) }
    }

    /// libheif decodes an AVIF tile with alpha, like a HEIC tile.
    private static func tile(_ format: ImageFormat) throws -> HEIFParts {
        guard format == .avif else { return try HEICDecoderTests.tile() }
        return try AVIFDecoderTests.parts(TestImages.photograph(PixelSize(width: 64, height: 64)))
    }

    /// The tile as a grid; `stated` is the size that the tile claims, if it differs.
    private func grid(
        of tile: HEIFParts,
        _ rows: Int,
        _ columns: Int,
        _ canvas: PixelSize,
        stated: PixelSize? = nil
    ) throws -> HEIFParts {
        var parts = tile
        if let stated { try parts.state(stated) }
        parts.makeGrid(rows: rows, columns: columns, canvas)
        return parts
    }

    @Test(arguments: [ImageFormat.heic, .avif])
    func `a grid whose tiles do not cover its canvas is corrupt`(format: ImageFormat) throws {
        let tile = try Self.tile(format)
        #expect(error(try grid(of: tile, 1, 2, PixelSize(width: 128, height: 64)).data) == nil)
        for (width, height) in [(129, 64), (128, 65), (512, 512)] {
            let file = try grid(of: tile, 1, 2, PixelSize(width: width, height: height)).data
            #expect(error(file)?.code == .corrupt, "\(width) × \(height)")
            #expect(
                decodeError { try CodecRegistry.standard.info(of: file, limits: DecodeLimits()) } != nil
            )
        }
    }

    @Test(arguments: [ImageFormat.heic, .avif])
    func `a grid with tiles beyond its canvas is corrupt`(format: ImageFormat) throws {
        let tile = try Self.tile(format)
        #expect(error(try grid(of: tile, 1, 2, PixelSize(width: 65, height: 1)).data) == nil)
        #expect(error(try grid(of: tile, 1, 2, PixelSize(width: 64, height: 1)).data)?.code == .corrupt)
        #expect(error(try grid(of: tile, 2, 1, PixelSize(width: 1, height: 64)).data)?.code == .corrupt)
    }

    @Test func `a grid of tiles of several sizes is corrupt`() throws {
        var parts = try grid(of: Self.tile(.heic), 1, 2, PixelSize(width: 128, height: 64))
        let other = try HEICDecoderTests.parts(TestImages.photograph(PixelSize(width: 128, height: 64)))
        let start = UInt8(parts.properties.count)
        parts.properties += other.properties
        var tile = other.items[0]
        tile.id = 3
        tile.properties = tile.properties.map { $0 + start }
        parts.items.append(tile)
        parts.references = [("dimg", 1, [2, 3])]
        #expect(error(parts.data)?.code == .corrupt)
    }

    @Test(arguments: [(63, 64), (64, 72), (256, 256), (1, 1)])
    func `a coded image of another size than it states is corrupt`(width: Int, height: Int) throws {
        let stated = PixelSize(width: width, height: height)
        var alone = try Self.tile(.heic)
        try alone.state(stated)
        #expect(error(alone.data)?.code == .corrupt)
        let canvas = PixelSize(width: 2 * width, height: 2 * height)
        let tiles = try grid(of: Self.tile(.heic), 2, 2, canvas, stated: stated)
        #expect(error(tiles.data)?.code == .corrupt)
    }

    @Test func `a second image in an item is corrupt`() throws {
        var parts = try Self.tile(.heic)
        parts.items[0].data += parts.items[0].data
        #expect(error(parts.data)?.code == .corrupt)
    }

    @Test func `areas without slices are never shown`() throws {
        let size = PixelSize(width: 192, height: 192)
        let parts = try HEICDecoderTests.parts(TestImages.photograph(size), isLossless: false)
        var random = SeededGenerator(seed: 11)
        var refusedCount = 0
        for round in 0..<400 {
            var damaged = parts
            for _ in 0...round % 2 {
                let place = Int.random(in: 8..<damaged.items[0].data.count, using: &random)
                damaged.items[0].data[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let file = damaged.data
            let outcomes = [UInt8(0), 1].map { filling in
                HEICDecoder.fillMemory(filling)
                defer { HEICDecoder.fillMemory(0) }
                return Result { try HEICDecoder().decode(file, options: DecodeOptions()).bytes }
            }
            switch (outcomes[0], outcomes[1]) {
            case (.success(let first), .success(let second)):
                #expect(first == second, "seed 11, round \(round)")
            case (.failure(let first as DecodeError), .failure(let second as DecodeError)):
                #expect(first.code == second.code, "seed 11, round \(round)")
                if first.detail.contains("do not cover") { refusedCount += 1 }
            default:
                Issue.record("seed 11, round \(round): an image under one filling only")
            }
        }
        #expect(refusedCount > 0)
    }
}

extension HEIFParts {
    /// Changes the size in the first `ispe`.
    mutating func state(_ size: PixelSize) throws {
        let index = properties.firstIndex { $0.dropFirst(4).starts(with: "ispe".utf8) }
        properties[try #require(index)] = Self.spatialExtents(size.width, size.height)
    }

    /// Turns the only image into the repeated tile of a grid; AVIF gets a copy per position.
    mutating func makeGrid(rows: Int, columns: Int, _ canvas: PixelSize) {
        let tile = items[0]
        let tileCount = brand == "avif" ? rows * columns : 1
        let tileIDs = (0..<rows * columns).map { 2 + $0 % tileCount }
        items = Set(tileIDs).sorted().map {
            .init(id: $0, type: tile.type, data: tile.data, properties: tile.properties)
        }
        properties.append(Self.spatialExtents(canvas.width, canvas.height))
        let data = Self.grid(rows: rows, columns: columns, canvas.width, canvas.height)
        items.insert(
            .init(id: 1, type: "grid", data: data, properties: [UInt8(properties.count)]),
            at: 0
        )
        references = [("dimg", 1, tileIDs)]
    }
}
