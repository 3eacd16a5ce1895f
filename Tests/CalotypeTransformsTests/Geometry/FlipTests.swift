import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

/// Flips and quarter turns: exact moves of pixels.
@Suite(.blocking, .inBothModes) struct FlipTests {
    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.flip(.horizontal).cacheIdentity == "flip-1(axis=horizontal)")
        #expect(TransformChain.rotate(.clockwise90).cacheIdentity == "turn-1(clockwise=90)")
        try TransformConformance(.flip(.horizontal)).run(changed: [.flip(.vertical)])
        try TransformConformance(.rotate(.clockwise90)).run(changed: [
            .rotate(.clockwise180), .rotate(.clockwise270),
        ])
    }

    /// The source position of a pixel in an image of 7 by 5, and Pillow's name of the move.
    private static let moves: [(TransformChain, String, @Sendable (Int, Int) -> (x: Int, y: Int))] = [
        (.flip(.horizontal), "FLIP_LEFT_RIGHT", { x, y in (6 - x, y) }),
        (.flip(.vertical), "FLIP_TOP_BOTTOM", { x, y in (x, 4 - y) }),
        (.rotate(.clockwise90), "ROTATE_270", { x, y in (y, 4 - x) }),
        (.rotate(.clockwise180), "ROTATE_180", { x, y in (6 - x, 4 - y) }),
        (.rotate(.clockwise270), "ROTATE_90", { x, y in (6 - y, x) }),
    ]

    @Test(arguments: PixelFormat.eightBitFormats) func `every pixel moves to its position`(
        format: PixelFormat
    )
        throws
    {
        let image = TestImages.asymmetric(PixelSize(width: 7, height: 5), format: format)
        for (chain, _, origin) in Self.moves {
            let result = try chain.tested.apply(to: image)
            let isTurned = chain == .rotate(.clockwise90) || chain == .rotate(.clockwise270)
            #expect(result.size == (isTurned ? image.size.transposed : image.size))
            #expect(result.pixelFormat == format)
            #expect(result.allPixels == image.moved(to: result.size, origin))
        }
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"), arguments: PixelFormat.eightBitFormats)
    func `every move matches Pillow`(format: PixelFormat) throws {
        let image = TestImages.photograph(PixelSize(width: 91, height: 67), format: format)
        for (chain, name, _) in Self.moves {
            let ours = try chain.tested.apply(to: image)
            let theirs = try Pillow.image(image, size: ours.size, "image.transpose(Image.\(name))")
            #expect(ours.rgba8() == theirs.rgba8())
        }
    }

    @Test func `images of the longest side are turned`() throws {
        let line = Image.drawn(20_000, 1, .gray8) { x, _ in .gray(x &* 3) }
        let turned = try TransformChain.rotate(.clockwise90).tested.apply(to: line)
        #expect(turned.size == PixelSize(width: 1, height: 20_000))
        #expect(turned.firstChannel == line.firstChannel)
    }
}
