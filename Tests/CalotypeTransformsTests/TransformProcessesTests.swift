import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeTransforms

/// Results of a transform process that violates its contract.
@Suite(.blocking) struct TransformProcessesTests {
    /// Returns different sizes for dark and for light images; encodes transforms as workers do.
    private struct Hostile: TransformProcesses {
        func apply(_ steps: TransformMessage, to image: Image) throws(TransformError) -> Image {
            _ = try TransformTable.encode(steps)
            let isFirst = image.pixels.withUnsafeBytes { $0[0] } == 0
            return TestImages.photograph(PixelSize(width: isFirst ? 2 : 3, height: 2))
        }

        func part(of image: Image, by step: TransformMessage) throws(TransformError) -> PixelRect {
            PixelRect(image.size)
        }
    }

    @Test func `a transformed frame that differs in size from the first is an error`() throws {
        let frames = FakeFrameSource(frameCount: 3)
        let animation = Animation(source: frames, firstFrame: frames.image(at: 0))
        let image = frames.image(at: 0).replacing(animation: animation)
        let result = try TransformChain.blur(sigma: 1).apply(to: image, at: Hostile())
        #expect(result.size == PixelSize(width: 2, height: 2))
        #expect(try result.animation?.decodeFrame(at: 0).size == result.size)
        let error = #expect(throws: TransformError.self) { try result.animation?.decodeFrame(at: 1) }
        #expect(error?.code == .crashed)
    }

    /// A transform of the library that is missing from the table of messages.
    private struct Unlisted: NamedTransform {
        var cacheIdentity: String { "unlisted" }

        func apply(to image: Image) throws -> Image { image }
    }

    @Test func `a transform that no message can encode does not leave the sandbox`() throws {
        let image = TestImages.photograph(PixelSize(width: 4, height: 4))
        let chain = TransformChain(steps: [Unlisted()])
        #expect(try chain.apply(to: image, at: nil).size == image.size)
        let error = #expect(throws: TransformError.self) { try chain.apply(to: image, at: Hostile()) }
        #expect(error?.code == .unsupportedFeature)
    }
}
