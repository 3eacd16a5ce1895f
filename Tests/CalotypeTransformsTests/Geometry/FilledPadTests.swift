import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct FilledPadTests {
    private static let size = PixelSize(width: 4, height: 1)

    @Test func `keys are pinned and distinguish all properties`() throws {
        let average = TransformChain.pad(to: Self.size, backdrop: .averageColor)
        #expect(
            average.cacheIdentity == "filledPad-1(size=4x1,gravity=center,with=averageColor,transparency=no)"
        )
        let size = PixelSize(width: 70, height: 60)
        let blurred = TransformChain.pad(to: size, backdrop: .blurred(sigma: 5))
        try TransformConformance(blurred).run(changed: [
            .pad(to: size, backdrop: .blurred(sigma: 6)), .pad(to: size, backdrop: .averageColor),
            .pad(to: size, gravity: .top, backdrop: .blurred(sigma: 5)),
            .pad(to: PixelSize(width: 70, height: 61), backdrop: .blurred(sigma: 5)),
            .pad(to: size, backdrop: .blurred(sigma: 5), fillsTransparency: true),
        ])
        try TransformConformance(.pad(to: size, backdrop: .averageColor)).run(changed: [])
    }

    @Test func `the mean colour is around the image`() throws {
        let average = TransformChain.pad(to: Self.size, backdrop: .averageColor)
        let color = try average.tested.apply(to: .row(of: [[100, 0, 0], [50, 20, 0]]))
        #expect(color.exactPixels == [[75, 10, 0], [100, 0, 0], [50, 20, 0], [75, 10, 0]])
        let gray = try average.tested.apply(to: .row(of: [[100], [50]]))
        #expect(gray.pixelFormat == .gray8 && gray.exactPixels == [[75], [100], [50], [75]])
    }

    @Test func `the mean colour is opaque, and fills transparency on request`() throws {
        let image = Image.row(of: [[100, 0, 0, 255], [0, 0, 0, 0]])
        let around = try TransformChain.pad(to: Self.size, backdrop: .averageColor).tested.apply(to: image)
        #expect(
            around.exactPixels == [[100, 0, 0, 255], [100, 0, 0, 255], [0, 0, 0, 0], [100, 0, 0, 255]]
        )
        let behind = TransformChain.pad(to: Self.size, backdrop: .averageColor, fillsTransparency: true)
        let filled = try behind.tested.apply(to: image)
        #expect(filled.pixelFormat == .rgb8 && Set(filled.exactPixels) == [[100, 0, 0]])
        // Also without any room around the image.
        let same = TransformChain.pad(to: image.size, backdrop: .averageColor, fillsTransparency: true)
        #expect(try Set(same.tested.apply(to: image).exactPixels) == [[100, 0, 0]])
    }

    @Test func `the blurred image is stretched behind the sharp one`() throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 20))
        let canvas = PixelSize(width: 40, height: 60)
        let result = try TransformChain.pad(to: canvas, backdrop: .blurred(sigma: 8)).tested.apply(to: image)
        #expect(result.size == canvas && result.pixelFormat == .rgb8)
        let middle = TransformChain.crop(to: PixelRect(x: 0, y: 20, width: 40, height: 20))
        #expect(try middle.apply(to: result).exactPixels == image.exactPixels)
        let stretched = try TransformChain.blur(sigma: 8).appending(
            .resize(to: canvas, kernel: .linear)
        ).apply(to: image)
        let top = TransformChain.crop(to: PixelRect(x: 0, y: 0, width: 40, height: 20))
        // The blur is rounded twice in the expectation.
        #expect(try top.apply(to: result).difference(from: try top.apply(to: stretched)).most <= 1)
    }

    @Test func `the blurred image shows through transparency on request only`() throws {
        let image = Image.row(of: [[100, 0, 0, 255], [0, 0, 0, 0]])
        let around = TransformChain.pad(to: Self.size, backdrop: .blurred(sigma: 50))
        #expect(try around.tested.apply(to: image).exactPixels[2] == [0, 0, 0, 0])
        let behind = TransformChain.pad(
            to: Self.size,
            backdrop: .blurred(sigma: 50),
            fillsTransparency: true
        )
        let pixels = try behind.tested.apply(to: image).exactPixels
        #expect(pixels[1] == [100, 0, 0, 255] && pixels[2][0] == 100 && pixels[2][3] > 100)
    }

    @Test func `an image of the size is unchanged, and a larger one is not cropped`() throws {
        let image = Image.row(of: [[0], [10], [20], [30], [40]])
        for backdrop in [PadBackdrop.averageColor, .blurred(sigma: 3)] {
            let same = try TransformChain.pad(to: Self.size, backdrop: backdrop).tested.apply(to: image)
            #expect(same.exactPixels == image.exactPixels)
        }
    }

    @Test
    func `invalid values are refused before work starts, and a result over the limit before its pixels`()
        throws
    {
        for transform in [
            TransformChain.pad(to: PixelSize(width: 0, height: 1), backdrop: .averageColor),
            .pad(to: Self.size, backdrop: .blurred(sigma: 0)),
            .pad(to: Self.size, backdrop: .blurred(sigma: .nan)),
            .pad(to: Self.size, backdrop: .blurred(sigma: 201)),
        ] {
            let error = #expect(throws: TransformError.self) { try transform.validate() }
            #expect(error?.code == .invalidParameter)
        }
        let huge = TransformChain.pad(
            to: PixelSize(width: 900_000, height: 900_000),
            backdrop: .blurred(sigma: 3)
        )
        let error = #expect(throws: TransformError.self) { try huge.apply(to: .row(of: [[1]])) }
        #expect(error?.code == .limitExceeded)
    }
}
