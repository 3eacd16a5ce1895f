import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Play counts that a format cannot state.
@Suite(.blocking, .inBothModes) struct PlayCountTests {
    /// Each animation encoder with the maximum play count of its format.
    static let encoders: [(encoder: any ImageEncoder, most: Int)] = [
        (PNGEncoder(), Int(Int32.max)), (GIFEncoder(), 65_536), (WebPEncoder(isLossless: true), 65_535),
        (JPEGXLEncoder(effort: 1), Int(UInt32.max)), (AVIFEncoder(speed: 10), Int(UInt32.max)),
    ]

    private func animation(_ loopCount: LoopCount) -> Image {
        let images = (0..<2).map {
            TestImages.photograph(PixelSize(width: 20, height: 12), seed: UInt64($0))
        }
        let durations = [Duration.milliseconds(100), .milliseconds(200)]
        return StillFrames(images, durations: durations, loopCount: loopCount).image
    }

    @Test(arguments: encoders)
    func `a play count within the range of a format round-trips`(
        encoder: any ImageEncoder,
        most: Int
    ) throws {
        for count in [1, 2, 7, most] {
            let file = try encoder.tested.encode(animation(.times(count)))
            let back = try CodecRegistry.tested.decode(file).animation?.loopCount
            // A GIF without a loop count plays once.
            #expect(back == .times(count), "\(encoder.format)")
        }
    }

    @Test(arguments: encoders)
    func `a play count beyond the range of a format is endless`(
        encoder: any ImageEncoder,
        most: Int
    ) throws {
        for count in [most + 1, Int.max / 2, Int.max] {
            let file = try encoder.tested.encode(animation(.times(count)))
            let back = try CodecRegistry.tested.decode(file).animation
            #expect(back?.loopCount == .infinite && back?.frameCount == 2, "\(encoder.format), \(count)")
        }
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `an endless track plays endlessly in each format`() throws {
        let file = try WildFiles.data("bumptech-glide-dl_world_anim_avif.avif")
        let image = try CodecRegistry.tested.decode(file)
        #expect(image.animation?.loopCount == .infinite)
        #expect(try CodecRegistry.tested.info(of: file).loopCount == .infinite)
        let apng = try PNGEncoder().tested.encode(image)
        #expect(PNGParts(apng).chunks[1].payload.suffix(4) == Data(count: 4))
    }
}
