import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct AnimationCorpusTests {
    @Test(arguments: CorpusTests.animated)
    func `each frame has the pixels of its reference`(file: CorpusFile) throws {
        let image = try CodecRegistry.tested.decode(file.bytes(), options: CorpusTests.plain)
        let animation = try #require(image.animation)
        #expect(animation.frameCount == file.frames)
        for (index, digest) in (file.animation?.frameRgba8Sha256 ?? []).enumerated() {
            guard let digest else { continue }
            #expect(try animation.decodeFrame(at: index).digest == digest, "frame \(index)")
        }
        if let isFirst = file.animation?.defaultImageIsFirstFrame {
            #expect(try (animation.decodeFrame(at: 0).pixels === image.pixels) == isFirst)
        }
    }

    @Test(arguments: CorpusTests.animated)
    func `durations and loop count match the file, with short ones replaced`(file: CorpusFile)
        throws
    {
        let data = try file.bytes()
        let info = try CodecRegistry.tested.info(of: data)
        let animation = try #require(try CodecRegistry.tested.decode(data).animation)
        let durations = (0..<animation.frameCount).map(animation.duration(ofFrameAt:))
        #expect(info.loopCount == animation.loopCount)
        #expect(info.animationDuration == durations.reduce(.zero, +))
        // GIF states the number of repetitions, and nothing for a single play.
        let again = file.format == "gif" ? 1 : 0
        if let stated = file.animation?.loopCountRaw {
            #expect(animation.loopCount == (stated == 0 ? .infinite : .times(stated + again)))
        } else if file.format == "gif" {
            #expect(animation.loopCount == .times(1))
        }
        guard let delays = file.animation?.delaysMs else { return }
        #expect(delays.count == durations.count)
        for (duration, delay) in zip(durations, delays) {
            let stated = delay < 11 ? 100 : delay
            #expect(abs(duration / .milliseconds(1) - stated) < 1)
        }
    }

    @Test(arguments: CorpusTests.animated)
    func `a frame decoded again is unchanged`(file: CorpusFile) throws {
        let source = try CodecRegistry.tested.decode(file.bytes())
        let animation = try #require(source.animation)
        let digests = try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0).digest }
        for index in stride(from: animation.frameCount - 1, to: 0, by: -7) {
            FrameBudget.shared.removeAll()
            #expect(try animation.decodeFrame(at: index).digest == digests[index], "frame \(index)")
        }
    }
}
