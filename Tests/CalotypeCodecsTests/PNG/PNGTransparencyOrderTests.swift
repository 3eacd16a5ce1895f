import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// A tRNS before a PLTE: libpng drops it and sets its flag, browsers apply it.
@Suite(.blocking, .inBothModes) struct PNGTransparencyOrderTests {
    /// A file of random pixels whose first pixel has the transparent colour.
    private func parts(depth: Int, isInterlaced: Bool = false) -> PNGParts {
        var random = SeededGenerator(seed: 44)
        let building = PNGBuilding(width: 21, height: 13, depth: depth, isInterlaced: isInterlaced)
        guard isInterlaced else { return building.file(filters: 0...0, &random) }
        // The passes of Adam7 have 1, 1, 1 and more rows; zeros are valid rows of any pass.
        return building.file(rows: Data(count: 13 * 21 * depth), &random)
    }

    private func withColorKey(_ parts: PNGParts, depth: Int) throws -> PNGParts {
        var parts = parts
        let stream = try #require(parts.chunks.first { $0.type == "IDAT" }).payload
        let pixel = [UInt8](stream.dropFirst(8).prefix(3 * depth / 8))
        let levels = depth == 16 ? Data(pixel) : Data(pixel.flatMap { [0, $0] })
        parts.insert("tRNS", levels, before: "IDAT")
        return parts
    }

    private func withPalette(_ parts: PNGParts, before other: String) -> PNGParts {
        var parts = parts
        parts.insert("PLTE", Data((0..<12).map { UInt8($0 * 20) }), before: other)
        return parts
    }

    @Test(arguments: [8, 16], [false, true])
    func `a transparent colour before a suggested palette is applied`(depth: Int, keepsDepth: Bool) throws {
        let plain = try withColorKey(parts(depth: depth), depth: depth)
        let options = DecodeOptions(keepsDepth: keepsDepth)
        let expected = try CodecRegistry.tested.decode(plain.data, options: options)
        #expect(expected.rgba8()[3] == 0)
        for other in ["tRNS", "IDAT"] {
            let file = withPalette(plain, before: other).data
            let image = try CodecRegistry.tested.decode(file, options: options)
            try expectEqual(image, expected, "a palette before \(other)")
            try expectEqual(decodePiecewise(file, .random, options), expected, "a palette before \(other)")
            let info = try CodecRegistry.tested.info(of: file, limits: DecodeLimits())
            #expect(info.hasAlpha && (keepsDepth || info.pixelFormat == image.pixelFormat))
        }
    }

    @Test(arguments: [8, 16])
    func `frames of an animation apply a transparent colour before a suggested palette`(depth: Int) throws {
        var plain = try withColorKey(parts(depth: depth), depth: depth)
        let index = try #require(plain.chunks.firstIndex { $0.type == "IDAT" })
        let stream = plain.chunks[index].payload
        let control =
            bigEndian32(21) + bigEndian32(13) + Data(count: 8) + bigEndian16(1) + bigEndian16(10)
            + Data([0, 0])
        plain.chunks.insert(("acTL", bigEndian32(2) + bigEndian32(0)), at: 1)
        plain.insert("fcTL", bigEndian32(0) + control, before: "IDAT")
        plain.insert("fcTL", bigEndian32(1) + control, before: "IEND")
        plain.insert("fdAT", bigEndian32(2) + stream, before: "IEND")
        let expected = try CodecRegistry.tested.decode(plain.data, options: DecodeOptions())
        let frames = try #require(expected.animation).decodedFrames()
        #expect(frames.count == 2 && frames[0] == frames[1] && frames[0][3] == 0)
        let file = withPalette(plain, before: "IDAT").data
        try expectEqual(CodecRegistry.tested.decode(file, options: DecodeOptions()), expected)
    }

    @Test func `a palette after its transparency stays opaque`() throws {
        var random = SeededGenerator(seed: 45)
        var parts = PNGBuilding(color: .palette).file(&random)
        parts.insert("tRNS", Data([0, 0, 0]), before: "PLTE")
        let image = try CodecRegistry.tested.decode(parts.data, options: DecodeOptions())
        #expect(image.pixelFormat == .rgb8)
        try expectSameOutcome(parts.data)
    }

    @Test func `an invalid suggested palette changes no pixel`() throws {
        let plain = parts(depth: 8)
        let expected = try CodecRegistry.tested.decode(plain.data, options: DecodeOptions())
        for payload in [Data(), Data(count: 4), Data(count: 3 * 300)] {
            var odd = plain
            odd.insert("PLTE", payload, before: "IDAT")
            odd.insert("PLTE", payload, before: "IDAT")
            try expectEqual(CodecRegistry.tested.decode(odd.data, options: DecodeOptions()), expected)
            try expectEqual(decodePiecewise(odd.data, .random), expected)
        }
    }
}
