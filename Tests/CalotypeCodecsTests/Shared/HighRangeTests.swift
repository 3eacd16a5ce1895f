import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// Images with the PQ and HLG curves.
@Suite(.blocking, .inBothModes) struct HighRangeTests {
    private static let levels: [UInt8] = [0, 32, 64, 96, 128, 160, 192, 224, 255]
    /// After BT.2390 section 5.4.1 from 1,000 to 203 cd/m² and the sRGB curve, computed independently.
    private static let shown: [DynamicRange: [Double]] = [
        .pq: [0, 9.7, 44.5, 98.3, 181.1, 244.7, 255, 255, 255],
        .hlg: [0, 23.9, 61.7, 99.6, 137.5, 184.8, 229.8, 251.6, 255],
    ]
    private static let codes: [DynamicRange: Int] = [.pq: 16, .hlg: 18]

    private func expect(
        _ file: Data,
        isShownAs range: DynamicRange,
        within tolerance: Double = 2,
        step: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let info = try CodecRegistry.tested.info(of: file)
        #expect(info.dynamicRange == range && info.dynamicRange.isHigh, sourceLocation: sourceLocation)
        let image = try CodecRegistry.tested.decode(file)
        let expected = try #require(Self.shown[range])
        for (index, level) in expected.enumerated() {
            let bytes = image.bytes[index * step * 3..<index * step * 3 + 3]
            #expect(
                bytes.allSatisfy { abs(Double($0) - level) <= tolerance },
                "\(range) \(Self.levels[index]): \(Array(bytes)), not \(level)",
                sourceLocation: sourceLocation
            )
        }
        let raw = try CodecRegistry.tested.decode(file, options: DecodeOptions(convertsToSRGB: false))
        for (index, level) in Self.levels.enumerated() {
            // XYB loses a little in dark tones, where the curve is steep.
            let distance = abs(Int(raw.bytes[index * step * 3]) - Int(level))
            #expect(distance <= (tolerance > 2 ? 12 : 0), sourceLocation: sourceLocation)
        }
    }

    /// Grays of the levels from left to right, each `step` pixels wide.
    private static func steps(_ step: Int, height: Int) -> Image {
        let row = levels.flatMap { [UInt8](repeating: $0, count: 3 * step) }
        let bytes = [[UInt8]](repeating: row, count: height).flatMap { $0 }
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: PixelSize(width: 9 * step, height: height), pixelFormat: .rgb8, pixels: pixels)
    }

    /// The parts with other code points: BT.2020 primaries, the curve of a range, RGB.
    private func coded(_ parts: HEIFParts, as range: DynamicRange) throws -> Data {
        var parts = parts
        let codes = bigEndian16(9) + bigEndian16(try #require(Self.codes[range])) + bigEndian16(0)
        let index = try #require(parts.properties.firstIndex { $0.dropFirst(4).starts(with: "colr".utf8) })
        parts.properties[index] = HEIFParts.box("colr", Data("nclx".utf8) + codes + Data([0x80]))
        return parts.data
    }

    @Test(arguments: [DynamicRange.pq, .hlg])
    func `a high-range AVIF is mapped to sRGB`(range: DynamicRange) throws {
        let parts = try AVIFDecoderTests.parts(Self.steps(1, height: 1))
        try expect(coded(parts, as: range), isShownAs: range)
    }

    @Test(arguments: [DynamicRange.pq, .hlg])
    func `a high-range HEIC is mapped to sRGB`(range: DynamicRange) throws {
        let parts = try HEICDecoderTests.parts(Self.steps(16, height: 64))
        try expect(coded(parts, as: range), isShownAs: range, step: 16)
    }

    @Test func `a high-range JPEG XL is mapped to sRGB`() throws {
        try expect(JPEGXLFixtures.pq, isShownAs: .pq)
        try expect(JPEGXLFixtures.hlg, isShownAs: .hlg)
        try expect(JPEGXLFixtures.pqAsXYB, isShownAs: .pq, within: 4)
    }

    @Test func `the info of a standard-range image has its range and bits`() throws {
        let picture = TestImages.photograph(PixelSize(width: 4, height: 4))
        for file in [try PNGEncoder().tested.encode(picture), try AVIFEncoder().tested.encode(picture)] {
            let info = try CodecRegistry.tested.info(of: file)
            #expect(info.dynamicRange == .standard && !info.dynamicRange.isHigh && info.bitDepth == 8)
        }
        #expect(try CodecRegistry.tested.info(of: JPEGXLFixtures.sixteenBits).bitDepth == 16)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `the info of a corpus file has its bits and range`() throws {
        let file = try #require(SharedCorpus.files.first { $0.path.hasSuffix("10bpc_p3pq.avif") })
        let info = try CodecRegistry.tested.info(of: file.bytes())
        #expect(info.bitDepth == 10 && info.dynamicRange == .pq)
    }
}
