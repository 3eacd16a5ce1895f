import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct PixelateTests {
    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.pixelate(side: 8).cacheIdentity == "pixelate-1(side=8)")
        try TransformConformance(.pixelate(side: 8)).run(changed: [.pixelate(side: 9)])
    }

    @Test func `each square becomes its mean, and one at an edge is completed by its mirror image`() throws {
        let image = Image.grid(of: [[0], [100], [50], [40], [20], [80], [9], [11], [33]], width: 3)
        let result = try TransformChain.pixelate(side: 2).tested.apply(to: image)
        #expect(result.exactPixels == [[40], [40], [65], [40], [40], [65], [10], [10], [33]])
    }

    @Test func `means are rounded once, in each channel`() throws {
        let result = try TransformChain.pixelate(side: 2).tested.apply(
            to: .row(of: [[0, 0, 0], [255, 1, 3]])
        )
        #expect(result.exactPixels == [[128, 0, 2], [128, 0, 2]])
    }

    @Test func `transparent pixels add no colour`() throws {
        let image = Image.row(of: [[200, 100, 50, 255], [9, 9, 9, 0]])
        let result = try TransformChain.pixelate(side: 2).tested.apply(to: image)
        #expect(result.exactPixels == [[200, 100, 50, 128], [200, 100, 50, 128]])
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a side of one changes no pixel`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 30, height: 20), format: format)
        let result = try TransformChain.pixelate(side: 1).tested.apply(to: image)
        #expect(result.pixelFormat == format && result.exactPixels == image.exactPixels)
    }

    @Test func `a side longer than the image gives one colour`() throws {
        let image = Image.row(of: [[0], [10], [20], [30], [40]])
        for side in [5, 100, 1_000_000] {
            let result = try TransformChain.pixelate(side: side).tested.apply(to: image)
            #expect(Set(result.exactPixels) == [[20]] && result.size == image.size)
        }
    }

    @Test func `the longest side in a narrow image does not exceed its area`() throws {
        let size = PixelSize(width: 1, height: 50_000)
        let image = TestImages.asymmetric(size, format: .gray8)
        #expect(try TransformChain.pixelate(side: 1_000_000).tested.apply(to: image).size == size)
    }

    @Test(arguments: [0, -1, 1_000_001, Int.min, .max])
    func `a side out of range is refused before work starts`(side: Int) {
        let error = #expect(throws: TransformError.self) {
            try TransformChain.pixelate(side: side).validate()
        }
        #expect(error?.code == .invalidParameter)
    }
}
