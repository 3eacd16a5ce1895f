import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import QOICodec
import TestTraits
import Testing

@Suite(.blocking) struct CodecConformanceTests {
    /// A row for each decoder: what is checked of it, and on which files beside those that encoders make.
    static let checks: [CodecConformance] = [
        CodecConformance(
            JPEGDecoder(),
            encoders: [JPEGEncoder(), JPEGEncoder(quality: 50, isProgressive: true)]
        ),
        CodecConformance(
            PNGDecoder(),
            encoders: [PNGEncoder(), PNGEncoder(compressionLevel: 1, isInterlaced: true)],
            samples: corpus(["png/pngsuite-"])
        ),
        CodecConformance(
            BMPDecoder(),
            encoders: [BMPEncoder(), BMPEncoder(options: EncodeOptions(frames: .first))],
            samples: corpus(["bmp/"], expendableByteCount: 3) + made { try BMPSamples.bitmaps() },
            expendableByteCount: 3
        ),
        CodecConformance(QOIDecoder(), encoders: [QOIEncoder()]),
        CodecConformance(ICODecoder(), samples: corpus(["ico/"]) + made { try BMPSamples.icons() }),
    ]

    @Test(arguments: checks.indices)
    func `a codec keeps what the protocols promise`(row: Int) throws {
        let check = Self.checks[row]
        try check.run()
    }

    @Test func `a program registers a codec of its own and asks for it`() throws {
        var codecs = CodecRegistry.standard
        codecs.register(QOIDecoder())
        codecs.register(QOIEncoder())
        let photograph = TestPictures.photograph(PixelSize(width: 61, height: 40), format: .rgba8)
        let data = try codecs.encode(photograph, as: .qoi)
        let back = try codecs.decode(data)
        #expect(back.format == .qoi && back.bytes == photograph.bytes)
        #expect(try codecs.encodingFormat(for: codecs.decode(data)) == .qoi)
    }

    /// The sound files of the corpus of at most 30 kB whose paths start so; none where there is no corpus.
    static func corpus(_ prefixes: [String], expendableByteCount: Int = 0) -> [CodecConformance.Sample] {
        let files = SharedCorpus.files.filter { file in
            file.expected == .ok && prefixes.contains { file.path.hasPrefix($0) }
        }
        return files.compactMap { file in
            do {
                let data = try file.bytes()
                guard data.count <= 30_000 else { return nil }
                return CodecConformance.Sample(file.path, data, expendableByteCount: expendableByteCount)
            } catch {
                preconditionFailure("\(file.path): \(error)")
            }
        }
    }

    private static func made(_ samples: () throws -> [CodecConformance.Sample]) -> [CodecConformance.Sample] {
        do {
            return try samples()
        } catch {
            preconditionFailure("a sample cannot be made: \(error)")
        }
    }
}
