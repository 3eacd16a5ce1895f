import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// A file that is decoded row by row or scan by scan as it arrives.
struct IncrementalSample: Sendable, CustomTestStringConvertible {
    let name: String
    let data: Data
    /// Whether rows arrive from the top to the bottom, each once.
    let isRowWise: Bool
    /// The number of bytes by which the format is recognised.
    let headByteCount: Int
    /// A number of bytes at the end without which the file is truncated.
    let endByteCount: Int
    let damagedCount: Int

    var testDescription: String { name }
}

/// Incremental decoding of JPEG and PNG, which deliver rows as they arrive.
@Suite(.blocking, .inBothModes) struct IncrementalTests {
    static let samples =
        JPEGIncrementalTests.files.map { name, data in
            IncrementalSample(
                name: name,
                data: data,
                isRowWise: name.hasPrefix("baseline"),
                headByteCount: 4,
                endByteCount: 4,
                // With many bytes at once, libjpeg-turbo decodes Huffman codes faster and checks less.
                damagedCount: 400
            )
        }
        + PNGIncrementalTests.files.map { name, data in
            IncrementalSample(
                name: "png \(name)",
                data: data,
                isRowWise: !name.hasSuffix("interlaced"),
                headByteCount: 8,
                endByteCount: 1,
                damagedCount: 100
            )
        }

    @Test(arguments: samples, Pieces.allCases)
    func `chunks of any size give the same image as the whole file`(
        sample: IncrementalSample,
        pieces: Pieces
    ) throws {
        let whole = try CodecRegistry.tested.decode(sample.data)
        try expectEqual(decodePiecewise(sample.data, pieces), whole)
        try expectEqual(decodePiecewise(sample.data, pieces, preview: { _ in }), whole)
    }

    @Test(arguments: samples.filter(\.isRowWise), [DecodeOptions.Target.full, .fit(PixelBox(width: 50))])
    func `preview rows are final`(sample: IncrementalSample, target: DecodeOptions.Target) throws {
        let options = DecodeOptions(target: target)
        let whole = try CodecRegistry.tested.decode(sample.data, options: options)
        let bytes = whole.bytes
        var counts: [Int] = []
        _ = try decodePiecewise(sample.data, .random, options) { preview in
            let known = preview.rowCount * preview.image.bytesPerRow
            #expect(preview.image.size == whole.size)
            #expect(preview.image.bytes[..<known] == bytes[..<known])
            #expect(preview.image.bytes[known...].allSatisfy { $0 == 0 })
            counts.append(preview.rowCount)
        }
        #expect(counts == counts.sorted() && (counts.count > 5 || target != .full))
        #expect(counts.contains { $0 > 0 && $0 < whole.size.height })
        #expect(counts.last == whole.size.height)
    }

    @Test(arguments: samples) func `a missing end fails as truncated`(sample: IncrementalSample) {
        let byteCount = sample.data.count
        let spread = (1..<48).map { max(sample.headByteCount, byteCount * $0 / 48) }
        for count in spread + [byteCount - sample.endByteCount] {
            let error = decodeError { try decodePiecewise(sample.data.prefix(count), .random) }
            #expect(error?.code == .truncated, "\(count) of \(byteCount) bytes")
        }
    }

    @Test(arguments: samples)
    func `a damaged file has the outcome of an ordinary decode`(sample: IncrementalSample) throws {
        var random = SeededGenerator(seed: 23)
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1_000_000))
        let range = sample.headByteCount..<sample.data.count
        for round in 0..<sample.damagedCount {
            let damaged = sample.data.flippingBits(1, in: range, using: &random)
            try expectSameOutcome(damaged, options: options, comment: "seed 23, round \(round)")
        }
    }
}
