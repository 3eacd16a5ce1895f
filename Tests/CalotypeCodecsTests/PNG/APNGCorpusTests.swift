import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct APNGCorpusTests {
    static let files = SharedCorpus.files(format: .png).filter {
        $0.expected == .ok && $0.animation != nil && $0.frames ?? 1 > 1
    }

    @Test(arguments: files)
    func `a re-encoded animation has the same frames`(file: CorpusFile) throws {
        let animation = try #require(try CodecRegistry.tested.decode(file.bytes()).animation)
        let still = try animation.decodeFrame(at: 0)
        let image = Image(
            size: still.size,
            pixelFormat: still.pixelFormat,
            pixels: still.pixels,
            animation: animation
        )
        let again = try #require(
            try CodecRegistry.tested.decode(PNGEncoder().tested.encode(image)).animation
        )
        #expect(again.loopCount == animation.loopCount && again.duration == animation.duration)
        #expect(try again.decodedFrames() == animation.decodedFrames())
    }

    @Test func `a profile applies to each frame`() throws {
        let profiled = try #require(
            SharedCorpus.files.first { $0.path == "png/SDWebImageWebPCoder-TestDisplayP3.png" }
        )
        let profile = try #require(PNGParts(profiled.bytes()).chunks.first { $0.type == "iCCP" })
        let pictures = (0..<3).map {
            TestImages.photograph(PixelSize(width: 20, height: 10), seed: UInt64($0))
        }
        var animated = try APNGParts(frames: pictures.map { APNGFrame(picture: $0) }).parts()
        animated.insert(profile.type, profile.payload, before: "IDAT")
        let animation = try #require(try CodecRegistry.tested.decode(animated.data).animation)
        for (index, picture) in pictures.enumerated() {
            var still = PNGParts(try PNGEncoder().tested.encode(picture))
            still.insert(profile.type, profile.payload, before: "IDAT")
            let converted = try CodecRegistry.tested.decode(still.data)
            #expect(converted.bytes != picture.bytes)
            #expect(try animation.decodeFrame(at: index).bytes == converted.bytes)
        }
    }
}
