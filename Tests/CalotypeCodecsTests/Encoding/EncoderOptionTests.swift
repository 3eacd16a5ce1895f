import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// The options and qualities of the encoders of all formats.
@Suite(.blocking, .inBothModes) struct EncoderOptionTests {
    private static let size = PixelSize(width: 161, height: 97)

    @Test(arguments: EncoderSample.all)
    func `equal values give equal bytes`(sample: EncoderSample) throws {
        let image = TestImages.photograph(Self.size, format: .rgba8)
        let files = try (0..<2).map { _ in try sample.encoder(EncodeOptions()).tested.encode(image) }
        #expect(files[0] == files[1])
    }

    @Test(arguments: EncoderSample.all)
    func `a box reduces the result and never enlarges it`(sample: EncoderSample) throws {
        let image = TestImages.photograph(Self.size)
        for (width, expected) in [(80, PixelSize(width: 80, height: 48)), (900, Self.size)] {
            let encoder = sample.encoder(EncodeOptions(maxSize: PixelBox(width: width))).tested
            #expect(try CodecRegistry.tested.decode(encoder.encode(image)).size == expected)
        }
    }

    @Test(arguments: EncoderSample.lossless)
    func `the byte limit of a lossless file is enforced exactly`(sample: EncoderSample) throws {
        let image = TestImages.photograph(Self.size)
        let plain = try sample.encoder(EncodeOptions()).tested.encode(image)
        let enough = EncodeOptions(maxByteCount: plain.count)
        #expect(try sample.encoder(enough).tested.encode(image) == plain)
        for limit in [plain.count - 1, 100, 0] {
            let encoder = sample.encoder(EncodeOptions(maxByteCount: limit)).tested
            #expect(encodeErrorCode { try encoder.encode(image) } == .limitExceeded, "\(limit) bytes")
        }
    }

    // MARK: - Quality

    @Test(arguments: LossySample.all)
    func `a higher quality is larger and nearer`(sample: LossySample) throws {
        let image = TestImages.photograph(sample.size)
        let files = try sample.qualities.map {
            try sample.encoder($0, EncodeOptions()).tested.encode(image)
        }
        let means = try files.map { try CodecRegistry.tested.decode($0).difference(to: image).mean }
        for (lower, higher) in zip(0..., 1..<files.count) {
            #expect(files[lower].count < files[higher].count)
            #expect(means[lower] > means[higher])
        }
    }

    @Test(arguments: LossySample.all)
    func `a limit that no quality reaches is an error`(sample: LossySample) {
        let image = TestImages.photograph(sample.size)
        for limit in [0, 1, sample.unreachable] {
            let encoder = sample.encoder(80, EncodeOptions(maxByteCount: limit)).tested
            #expect(encodeErrorCode { try encoder.encode(image) } == .limitExceeded, "\(limit) bytes")
        }
    }

    @Test(arguments: LossySample.all.filter { $0.fit != nil })
    func `the quality is lowered to the highest that fits`(sample: LossySample) throws {
        let (high, low, percent) = try #require(sample.fit)
        let image = TestImages.photograph(sample.size)
        let wanted = try sample.encoder(low, EncodeOptions()).tested.encode(image)
        let options = EncodeOptions(maxByteCount: wanted.count)
        let fitted = try sample.encoder(high, options).tested.encode(image)
        #expect(fitted.count <= wanted.count && fitted.count * 100 >= wanted.count * percent)
        guard percent == 100 else { return }
        let next = try sample.encoder(low + 1, EncodeOptions()).tested.encode(image)
        try #require(next.count > wanted.count)
        #expect(fitted == wanted)
        // A quality that fits is not lowered.
        #expect(try sample.encoder(low, options).tested.encode(image) == wanted)
    }
}
