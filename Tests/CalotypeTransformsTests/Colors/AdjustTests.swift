import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct AdjustTests {
    private func adjusted(_ transform: TransformChain, _ pixels: [[UInt8]]) throws -> [[UInt8]] {
        try transform.tested.apply(to: .row(of: pixels)).exactPixels
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let transform = TransformChain.adjust(
            brightness: 0.1,
            contrast: 1.5,
            saturation: 0.5,
            gamma: 2.2,
            hueDegrees: 90
        )
        #expect(
            transform.cacheIdentity
                == "adjust-1(brightness=0.1,contrast=1.5,saturation=0.5,gamma=2.2,hue=90.0)"
        )
        try TransformConformance(transform).run(changed: [
            .adjust(brightness: -0.1, contrast: 1.5, saturation: 0.5, gamma: 2.2, hueDegrees: 90),
            .adjust(brightness: 0.1, contrast: 1.4, saturation: 0.5, gamma: 2.2, hueDegrees: 90),
            .adjust(brightness: 0.1, contrast: 1.5, saturation: 0.4, gamma: 2.2, hueDegrees: 90),
            .adjust(brightness: 0.1, contrast: 1.5, saturation: 0.5, gamma: 2.1, hueDegrees: 90),
            .adjust(
                brightness: 0.1,
                contrast: 1.5,
                saturation: 0.5,
                gamma: 2.2,
                hueDegrees: 90.00000000000001
            ),
        ])
    }

    @Test(arguments: [(-90, 270), (360, 0), (-0.0, 0), (-720, 0), (3690, 90), (-1e-300, 0)])
    func `equal hue rotations have equal keys`(turns: (Double, Double)) {
        let (left, right) = (
            TransformChain.adjust(hueDegrees: turns.0), TransformChain.adjust(hueDegrees: turns.1)
        )
        #expect(left == right && left.cacheIdentity == right.cacheIdentity)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `neutral values change no pixel`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 64, height: 64), format: format)
        for neutral in [TransformChain.adjust(), .adjust(hueDegrees: -720)] {
            let result = try neutral.tested.apply(to: image)
            #expect(result.pixelFormat == format)
            #expect(result.exactPixels == image.exactPixels)
        }
    }

    // Computed by hand from the formulae; 100, 150, 200 has a luma of 142.98.
    @Test(arguments: [
        (TransformChain.adjust(brightness: 0.2), [151, 201, 251] as [UInt8]),
        (.adjust(brightness: -0.5), [0, 22, 72]),
        (.adjust(brightness: 1), [255, 255, 255]),
        (.adjust(brightness: -1), [0, 0, 0]),
        (.adjust(contrast: 1.5), [86, 161, 236]),
        (.adjust(contrast: 0), [128, 128, 128]),
        (.adjust(contrast: 4), [18, 218, 255]),
        (.adjust(saturation: 0), [143, 143, 143]),
        (.adjust(saturation: 2), [57, 157, 255]),
        (.adjust(gamma: 2), [160, 196, 226]),
        (.adjust(gamma: 0.5), [39, 88, 157]),
        (.adjust(hueDegrees: 90), [200, 122, 186]),
        (.adjust(hueDegrees: 180), [186, 136, 86]),
        (
            .adjust(brightness: 0.2, contrast: 1.5, saturation: 2, gamma: 2, hueDegrees: 180),
            [255, 229, 120]
        ),
    ])
    func `each value is applied by its formula in the documented order`(
        transform: TransformChain,
        expected: [UInt8]
    ) throws {
        #expect(try adjusted(transform, [[100, 150, 200]]) == [expected])
        #expect(try adjusted(transform, [[100, 150, 200, 7]]) == [expected + [7]])
    }

    @Test func `values are not clamped between the steps`() throws {
        // Brightness alone would clamp, and contrast could not bring the difference back.
        let transform = TransformChain.adjust(brightness: 0.8, contrast: 0.25)
        #expect(try adjusted(transform, [[100], [200], [255]]) == [[172], [197], [210]])
    }

    @Test func `gray stays gray and is not changed by hue rotations`() throws {
        let grays = (0..<256).map { [UInt8($0)] }
        #expect(try adjusted(.adjust(saturation: 3, hueDegrees: 77), grays) == grays)
        #expect(try adjusted(.adjust(gamma: 2), [[0], [64], [255]]) == [[0], [128], [255]])
    }

    @Test func `a gray of three equal channels stays gray`() throws {
        let grays = (0..<256).map { [UInt8]([UInt8($0), UInt8($0), UInt8($0)]) }
        #expect(try adjusted(.adjust(saturation: 3, hueDegrees: 77), grays) == grays)
    }

    @Test(arguments: [
        TransformChain.adjust(brightness: 1.01), .adjust(brightness: -1.01), .adjust(brightness: .nan),
        .adjust(contrast: -0.1), .adjust(contrast: 100.1), .adjust(contrast: .nan),
        .adjust(saturation: -0.1), .adjust(saturation: .infinity), .adjust(saturation: .nan),
        .adjust(gamma: 0), .adjust(gamma: 10.1), .adjust(gamma: .nan),
        .adjust(hueDegrees: .nan), .adjust(hueDegrees: .infinity), .adjust(hueDegrees: -.infinity),
    ])
    func `invalid values are refused before work starts`(transform: TransformChain) throws {
        let error = #expect(throws: TransformError.self) { try transform.validate() }
        #expect(error?.code == .invalidParameter)
    }

    @Test(arguments: [
        TransformChain.adjust(brightness: 1), .adjust(contrast: 100), .adjust(saturation: 100),
        .adjust(gamma: 0.1), .adjust(gamma: 10), .adjust(hueDegrees: 1e308),
    ])
    func `the bounds are allowed`(transform: TransformChain) throws {
        let image = TestImages.photograph(PixelSize(width: 8, height: 8))
        #expect(try transform.tested.apply(to: image).size == image.size)
    }
}
