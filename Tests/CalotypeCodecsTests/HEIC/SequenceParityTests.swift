import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Frames of image sequences are equal in workers and in process, byte for byte, also with inter
/// prediction.
@Suite(.blocking, .enabled(Workers.advice, Workers.isAvailable)) struct SequenceParityTests {
    static let files: [(name: String, data: Data)] = {
        do {
            let formats = PixelFormat.eightBitFormats
            let avif = try formats.map { format in
                let frames = AVIFSequenceTests.frames(9, format).image
                return ("AVIF \(format)", try AVIFEncoder(quality: 60, speed: 9).encode(frames))
            }
            let heic = try formats.map { format in
                let images = HEICSequenceTests.images(5, format)
                return ("HEIC \(format)", try HEICSequenceParts(images, isLossless: false).data)
            }
            let inter = HEICInterTests.Group.allCases.map { ("HEIC \($0)", HEICInterTests.parts($0).data) }
            let corpus = try CorpusTests.animated.filter { ["avif", "heic"].contains($0.format) }.map {
                ($0.path, try $0.bytes())
            }
            return avif + heic + inter + corpus
        } catch {
            preconditionFailure("a sequence cannot be made: \(error)")
        }
    }()

    private func animation(
        _ file: Data,
        _ options: DecodeOptions,
        by codecs: CodecRegistry
    ) throws -> Animation {
        try #require(try codecs.decode(file, options: options).animation)
    }

    @Test(
        arguments: files,
        [
            DecodeOptions(), DecodeOptions(target: .fit(PixelBox(width: 20))),
            DecodeOptions(appliesOrientation: false, convertsToSRGB: false, keepsDepth: true),
        ]
    )
    func `frames from a worker equal frames in process, in any order`(
        file: (name: String, data: Data),
        options: DecodeOptions
    ) async throws {
        let workers = try await Workers.shared.codecs
        let here = try animation(file.data, options, by: .standard)
        let there = try animation(file.data, options, by: workers)
        let indices = 0..<here.frameCount
        #expect(there.frameCount == here.frameCount && there.loopCount == here.loopCount)
        #expect(indices.map(there.duration(ofFrameAt:)) == indices.map(here.duration(ofFrameAt:)))
        let frames = try indices.map { try here.decodeFrame(at: $0) }
        for index in indices {
            let frame = try there.decodeFrame(at: index)
            #expect(frame.size == frames[index].size && frame.pixelFormat == frames[index].pixelFormat)
            #expect(frame.hasBytes(of: frames[index]), "frame \(index)")
        }
        let jumping = try animation(file.data, options, by: workers)
        for index in indices.reversed() {
            #expect(try jumping.decodeFrame(at: index).hasBytes(of: frames[index]), "frame \(index)")
        }
    }
}
