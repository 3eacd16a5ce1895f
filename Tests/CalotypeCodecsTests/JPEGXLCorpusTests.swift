import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct JPEGXLCorpusTests {
    static let files = SharedCorpus.files(format: .jpegXL)
    static let sound = files.filter { $0.expected == .ok }

    @Test(arguments: sound)
    func `a sound file has the pixels of its reference`(file: CorpusFile) throws {
        let image = try JPEGXLDecoder().decode(file.bytes(), options: CorpusTests.plain)
        #expect(image.size == PixelSize(width: try #require(file.width), height: try #require(file.height)))
        let reference = try #require(file.reference)
        if let exact = reference.rgba8Sha256 {
            let candidates = (reference.candidates ?? [:]).values.map(\.rgba8Sha256)
            #expect(([exact, reference.rgba8RoundedSha256] + candidates).contains(image.digest))
        } else {
            let tolerance = try #require(reference.tolerance)
            let difference = try difference(image, reference.rgb16x16)
            #expect(difference.mean <= tolerance.mean && difference.worst <= tolerance.cell, "\(difference)")
        }
    }

    @Test(arguments: sound.filter { $0.reference?.rgb16x16Display != nil })
    func `an orientation is applied as the reference shows`(file: CorpusFile) throws {
        let image = try JPEGXLDecoder().decode(file.bytes(), options: DecodeOptions(convertsToSRGB: false))
        #expect(image.size.width == file.displayWidth && image.size.height == file.displayHeight)
        let difference = try difference(image, file.reference?.rgb16x16Display)
        #expect(difference.mean <= 2 && difference.worst <= 4, "\(difference)")
    }

    @Test(arguments: sound)
    func `the header tells what the manifest tells`(file: CorpusFile) throws {
        let info = try CodecRegistry.standard.info(of: file.bytes())
        #expect(info.format == .jpegXL)
        #expect(info.size.width == file.width && info.size.height == file.height)
        #expect(info.displaySize.width == file.displayWidth && info.displaySize.height == file.displayHeight)
        #expect(info.orientation.rawValue == file.orientation ?? 1)
        #expect(info.frameCount == file.frames)
        #expect(info.hasAlpha == file.alpha)
        #expect((info.loopCount != nil) == file.animated)
        if let plays = file.animation?.loopCountRaw {
            #expect(info.loopCount == (plays == 0 ? .infinite : .times(plays)))
        }
        let image = try CodecRegistry.standard.decode(file.bytes())
        #expect(image.pixelFormat == info.pixelFormat && image.size == info.displaySize)
    }

    @Test(arguments: sound.filter { $0.animated == true })
    func `each frame of an animation decodes and forwards equals backwards`(file: CorpusFile) throws {
        let animation = try #require(try CodecRegistry.standard.decode(file.bytes()).animation)
        let digests = try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0).digest }
        #expect(Set(digests).count > animation.frameCount / 2)
        for index in stride(from: animation.frameCount - 1, to: 0, by: -7) {
            FrameBudget.shared.removeAll()
            #expect(try animation.decodeFrame(at: index).digest == digests[index])
        }
    }

    @Test(arguments: sound)
    func `chunks end in what an ordinary decode gives`(file: CorpusFile) throws {
        let data = try file.bytes()
        let decoder = try #require(
            JPEGXLDecoder().makeIncrementalDecoder(for: .jpegXL, options: DecodeOptions())
        )
        for start in stride(from: 0, to: data.count, by: 997) {
            try decoder.append(data[start..<min(start + 997, data.count)])
        }
        #expect(try decoder.finish().bytes == JPEGXLDecoder().decode(data, options: DecodeOptions()).bytes)
    }

    @Test(arguments: files.filter { $0.expected != .ok })
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        do {
            _ = try CodecRegistry.standard.decode(file.bytes(), options: CorpusTests.plain)
            #expect(file.acceptable.contains(.ok))
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
        }
    }

    private func difference(_ image: Image, _ grid: Data?) throws -> (mean: Double, worst: Double) {
        PixelGrid(image).difference(to: PixelGrid(values: try #require(grid).map(Double.init)))
    }
}
