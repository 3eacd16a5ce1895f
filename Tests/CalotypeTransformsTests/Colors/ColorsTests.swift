import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ColorsTests {
    private let photograph = TestImages.photograph(PixelSize(width: 60, height: 40), format: .rgba8)

    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.grayscale.cacheIdentity == "grayscale-1()")
        #expect(TransformChain.invert.cacheIdentity == "invert-1()")
        #expect(TransformChain.sepia().cacheIdentity == "sepia-1(intensity=1.0)")
        #expect(TransformChain.flatten().cacheIdentity == "flatten-1(onto=ffffffff)")
        try TransformConformance(.grayscale).run(changed: [.invert])
        try TransformConformance(.invert).run(changed: [.grayscale])
        try TransformConformance(.sepia()).run(changed: [.sepia(intensity: 0.9999999999999999)])
        try TransformConformance(.flatten()).run(changed: [
            .flatten(onto: .black),
            .flatten(onto: RGBColor(red: 255, green: 255, blue: 254)),
            .flatten(onto: RGBColor(red: 255, green: 254, blue: 255)),
            .flatten(onto: RGBColor(red: 254, green: 255, blue: 255)),
        ])
    }

    @Test(arguments: [TransformChain.grayscale, .invert, .sepia(), .sepia(intensity: 0.3)])
    func `alpha is unchanged`(transform: TransformChain) throws {
        let result = try transform.tested.apply(to: photograph)
        #expect(result.pixelFormat == .rgba8)
        #expect(result.alphas == photograph.alphas)
    }

    // MARK: - Grayscale

    @Test func `grayscale is the luma of Rec. 709, rounded`() throws {
        let colors: [[UInt8]] = [
            [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [100, 150, 200], [1, 1, 1],
        ]
        let result = try TransformChain.grayscale.tested.apply(to: .row(of: colors))
        #expect(result.pixelFormat == .gray8)
        #expect(result.exactPixels == [[54], [182], [18], [255], [0], [143], [1]])
    }

    @Test func `grayscale with alpha has three equal channels`() throws {
        let result = try TransformChain.grayscale.tested.apply(
            to: .row(of: [[100, 150, 200, 0], [255, 0, 0, 9]])
        )
        #expect(result.exactPixels == [[143, 143, 143, 0], [54, 54, 54, 9]])
    }

    @Test func `grayscale does not change gray`() throws {
        let grays = (0..<256).map { [UInt8($0)] }
        #expect(try TransformChain.grayscale.tested.apply(to: .row(of: grays)).exactPixels == grays)
    }

    // MARK: - Sepia

    @Test func `sepia is the matrix of Filter Effects, rounded and clamped`() throws {
        let image = Image.row(of: [[10, 20, 30], [255, 255, 255], [0, 0, 0]])
        let full = try TransformChain.sepia().tested.apply(to: image)
        #expect(full.exactPixels == [[25, 22, 17], [255, 255, 239], [0, 0, 0]])
        let half = try TransformChain.sepia(intensity: 0.5).tested.apply(to: image)
        #expect(half.exactPixels == [[17, 21, 24], [255, 255, 247], [0, 0, 0]])
    }

    @Test func `sepia colours gray, unless its intensity is zero`() throws {
        let gray = Image.row(of: [[100], [0], [255]])
        let brown = try TransformChain.sepia().tested.apply(to: gray)
        #expect(brown.exactPixels == [[135, 120, 94], [0, 0, 0], [255, 255, 239]])
        #expect(try TransformChain.sepia(intensity: 0).tested.apply(to: gray).exactPixels == gray.exactPixels)
    }

    @Test func `sepia of intensity zero changes no pixel`() throws {
        let result = try TransformChain.sepia(intensity: 0).tested.apply(to: photograph)
        #expect(result.exactPixels == photograph.exactPixels)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `a sepia intensity out of range is refused before work starts`(intensity: Double) {
        #expect(throws: TransformError.self) { try TransformChain.sepia(intensity: intensity).validate() }
    }

    // MARK: - Invert

    @Test func `inverting subtracts each channel from 255`() throws {
        let levels = (0..<256).map { [UInt8($0)] }
        let negative = try TransformChain.invert.tested.apply(to: .row(of: levels))
        #expect(negative.exactPixels == levels.reversed())
        let color = try TransformChain.invert.tested.apply(to: .row(of: [[0, 100, 255, 77]]))
        #expect(color.exactPixels == [[255, 155, 0, 77]])
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"))
    func `inverting matches Pillow exactly`() throws {
        let image = TestImages.photograph(PixelSize(width: 60, height: 40))
        let theirs = try Pillow.image(image, size: image.size, "ImageOps.invert(image)")
        #expect(try TransformChain.invert.tested.apply(to: image).exactPixels == theirs.exactPixels)
    }

    // MARK: - Flatten

    @Test func `flattening blends transparent pixels over the colour`() throws {
        let image = Image.row(of: [[200, 100, 0, 128], [9, 8, 7, 0], [9, 8, 7, 255]])
        let onWhite = try TransformChain.flatten().tested.apply(to: image)
        #expect(onWhite.pixelFormat == .rgb8)
        #expect(onWhite.exactPixels == [[227, 177, 127], [255, 255, 255], [9, 8, 7]])
        let onColor = try TransformChain.flatten(onto: RGBColor(red: 0, green: 100, blue: 30)).apply(
            to: image
        )
        #expect(onColor.exactPixels == [[100, 100, 15], [0, 100, 30], [9, 8, 7]])
    }

    @Test func `flattening does not change opaque images`() throws {
        for format in [PixelFormat.gray8, .rgb8] {
            let image = TestImages.asymmetric(PixelSize(width: 20, height: 20), format: format)
            let result = try TransformChain.flatten(onto: .black).tested.apply(to: image)
            #expect(result.pixelFormat == format && result.exactPixels == image.exactPixels)
        }
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"))
    func `flattening matches Pillow within a level`() throws {
        let theirs = try Pillow.image(
            photograph,
            size: photograph.size,
            "Image.alpha_composite(Image.new('RGBA', image.size, (255, 255, 255, 255)), image)"
        )
        #expect(try TransformChain.flatten().tested.apply(to: photograph).difference(from: theirs).most <= 1)
    }
}
