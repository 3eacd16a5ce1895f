import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import QOICodec
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking) struct CodecConformanceTests {
    /// One row per decoder: its checks, and further files beside those of the encoders.
    static let checks: [CodecConformance] = [
        CodecConformance(
            JPEGDecoder(),
            encoders: [JPEGEncoder(), JPEGEncoder(quality: 50, isProgressive: true)]
        ),
        CodecConformance(
            PNGDecoder(),
            encoders: [PNGEncoder(), PNGEncoder(compressionLevel: 1, isInterlaced: true)],
            samples: corpus(["png/pngsuite-"]) + [animated(PNGEncoder())],
            encodesAnimations: true
        ),
        CodecConformance(
            GIFDecoder(),
            encoders: [GIFEncoder(), GIFEncoder(maxColorCount: 16, dithers: false)],
            samples: corpus(["gif/"], maxByteCount: 2000, expendableByteCount: 1)
                + [animated(GIFEncoder(), expendableByteCount: 1)],
            encodesAnimations: true,
            expendableByteCount: 1
        ),
        CodecConformance(
            WebPDecoder(),
            encoders: [WebPEncoder(), WebPEncoder(isLossless: true)],
            samples: corpus(["webp/"], maxByteCount: 5000) + [animated(WebPEncoder(isLossless: true))]
        ),
        CodecConformance(
            AVIFDecoder(),
            encoders: [AVIFEncoder(speed: 10), AVIFEncoder(quality: 30, speed: 10)],
            samples: corpus(["avif/"], maxByteCount: 2000) + [animated(AVIFEncoder(speed: 10))]
        ),
        CodecConformance(HEICDecoder(), encoders: [HEICEncoder(), HEICEncoder(quality: 30)]),
        CodecConformance(
            JPEGXLDecoder(),
            encoders: [JPEGXLEncoder(effort: 3), JPEGXLEncoder(isLossless: true, effort: 3)],
            samples: [animated(JPEGXLEncoder(isLossless: true, effort: 3))]
        ),
        CodecConformance(
            TIFFDecoder(),
            encoders: [TIFFEncoder(), TIFFEncoder(compression: .deflate)]
        ),
        CodecConformance(
            BMPDecoder(),
            encoders: [BMPEncoder(), BMPEncoder(options: EncodeOptions(frames: .first))],
            samples: corpus(["bmp/"], expendableByteCount: 3) + made { try BMPSamples.bitmaps() },
            expendableByteCount: 3
        ),
        CodecConformance(QOIDecoder(), encoders: [QOIEncoder()]),
        CodecConformance(
            ICODecoder(),
            encoders: [ICOEncoder()],
            samples: corpus(["ico/"]) + made { try BMPSamples.icons() }
        ),
    ]

    @Test(arguments: checks.indices)
    func `a codec fulfils the protocol requirements`(row: Int) throws {
        let check = Self.checks[row]
        try check.run()
    }

    /// The checks of built-in formats; only PNG, which has animations and previews, except in `make soak`.
    private static let checksInWorkers = checks.indices.filter { row in
        let formats = Soak.isRequested ? ImageFormat.recognized : [.png]
        return formats.contains { checks[row].decoder.formats.contains($0) }
    }

    @Test(
        .enabled(Workers.advice, Workers.isAvailable),
        arguments: checksInWorkers
    )
    func `a codec in a worker fulfils the protocol requirements`(row: Int) async throws {
        let workers = try await Workers.shared
        var check = Self.checks[row]
        check.decoder = workers.placed(check.decoder)
        check.encoders = check.encoders.map { workers.placed($0) }
        try check.run()
    }

    @Test func `a custom codec can be registered and used`() throws {
        var codecs = CodecRegistry.standard
        codecs.register(QOIDecoder())
        codecs.register(QOIEncoder())
        let photograph = TestImages.photograph(PixelSize(width: 61, height: 40), format: .rgba8)
        let data = try codecs.encode(photograph, as: .qoi)
        let back = try codecs.decode(data)
        #expect(back.format == .qoi && back.bytes == photograph.bytes)
        #expect(try codecs.encodingFormat(for: codecs.decode(data)) == .qoi)
    }

    /// The intact corpus files with a path prefix and a maximum size; none without the corpus.
    static func corpus(
        _ prefixes: [String],
        maxByteCount: Int = 30_000,
        expendableByteCount: Int = 0
    ) -> [CodecConformance.Sample] {
        let files = SharedCorpus.files.filter { file in
            file.expected == .ok && prefixes.contains { file.path.hasPrefix($0) }
        }
        return files.compactMap { file in
            do {
                let data = try file.bytes()
                guard data.count <= maxByteCount else { return nil }
                return CodecConformance.Sample(file.path, data, expendableByteCount: expendableByteCount)
            } catch {
                preconditionFailure("\(file.path): \(error)")
            }
        }
    }

    /// Five frames with three durations, played twice.
    static let animation: Image = {
        let source = FakeFrameSource(
            frameCount: 5,
            size: PixelSize(width: 31, height: 17),
            firstValue: 40,
            valueStep: 40,
            loopCount: .times(2),
            durations: [.milliseconds(100), .milliseconds(40), .milliseconds(250)]
        )
        return source.image
    }()

    private static func animated(
        _ encoder: some ImageEncoder,
        expendableByteCount: Int = 0
    ) -> CodecConformance.Sample {
        made {
            let data = try encoder.encode(animation)
            return [CodecConformance.Sample("animated", data, expendableByteCount: expendableByteCount)]
        }[0]
    }

    private static func made(_ samples: () throws -> [CodecConformance.Sample]) -> [CodecConformance.Sample] {
        do {
            return try samples()
        } catch {
            preconditionFailure("a sample cannot be made: \(error)")
        }
    }
}
