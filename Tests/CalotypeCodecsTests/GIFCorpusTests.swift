import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct GIFCorpusTests {
    static let sound = SharedCorpus.files(format: .gif).filter { $0.expected == .ok }
    static let damaged = SharedCorpus.files(format: .gif).filter { $0.expected != .ok }

    @Test(arguments: sound)
    func `each frame has the pixels of its reference`(file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(file.bytes())
        #expect(image.size == PixelSize(width: try #require(file.width), height: try #require(file.height)))
        let reference = try #require(file.reference)
        let candidates = (reference.candidates ?? [:]).values.map(\.rgba8Sha256)
        #expect((candidates + [reference.rgba8Sha256]).contains(image.digest))
        let frames = try image.allFrames()
        #expect(frames.count == file.frames)
        for (frame, digest) in zip(frames, file.animation?.frameRgba8Sha256 ?? []) {
            if let digest { #expect(frame.digest == digest) }
        }
    }

    @Test(arguments: sound)
    func `the blocks tell what the manifest tells`(file: CorpusFile) throws {
        let info = try CodecRegistry.standard.info(of: file.bytes())
        #expect(info.format == .gif)
        #expect(info.size.width == file.width && info.size.height == file.height)
        #expect(info.frameCount == file.frames)
        #expect(info.hasAlpha == file.alpha)
        let image = try CodecRegistry.standard.decode(file.bytes())
        #expect(image.pixelFormat == info.pixelFormat)
        guard file.animated == true, let delays = file.animation?.delaysMs else { return }
        let shown = delays.map { Duration.milliseconds($0 < 11 ? 100 : Int($0)) }
        #expect(info.animationDuration == shown.reduce(.zero, +))
        let plays = file.animation?.loopCountRaw ?? 1
        #expect(info.loopCount == (plays == 0 ? .infinite : .times(plays)))
        let animation = try #require(image.animation)
        #expect((0..<delays.count).map { animation.duration(ofFrameAt: $0) } == shown)
        #expect(animation.loopCount == info.loopCount)
    }

    @Test(arguments: damaged)
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        do {
            _ = try CodecRegistry.standard.decode(file.bytes()).allFrames()
            #expect(file.acceptable.contains(.ok))
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
        }
    }
}
