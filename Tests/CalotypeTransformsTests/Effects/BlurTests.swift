import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import Glibc
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BlurTests {
    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.blur(sigma: 3).cacheIdentity == "blur-1(sigma=3.0)")
        try TransformConformance(.blur(sigma: 3)).run(changed: [.blur(sigma: 3.0000000000000004)])
    }

    @Test func `a wide blur conforms to the transform rules`() throws {
        try TransformConformance(.blur(sigma: 200)).run(changed: [])
    }

    @Test(
        .enabled(if: Pillow.isPresent, "\(Pillow.advice)"),
        arguments: [1.0, 3.0, 6.0],
        PixelFormat.eightBitFormats
    )
    func `a blur matches Pillow within two levels, at the edges too`(
        sigma: Double,
        format: PixelFormat
    ) throws {
        let image = TestImages.photograph(PixelSize(width: 161, height: 120), format: format)
        let ours = try TransformChain.blur(sigma: sigma).tested.apply(to: image)
        // Pillow blurs raw values: premultiplied alpha is its mode RGBa.
        let theirs = try Pillow.image(
            image,
            size: image.size,
            format == .rgba8
                ? "image.convert('RGBa').filter(ImageFilter.GaussianBlur(\(sigma))).convert('RGBA')"
                : "image.filter(ImageFilter.GaussianBlur(\(sigma)))"
        )
        // For nearly transparent pixels Pillow's 8 bits leave little precision to divide by alpha.
        let (left, right) = (try onBlack(ours), try onBlack(theirs))
        #expect(left.difference(from: right).mean < 2)
        let (edges, expected) = (edges(of: left), edges(of: right))
        let differences = zip(edges, expected).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2)
    }

    private func onBlack(_ image: Image) throws -> Image {
        try TransformChain.flatten(onto: .black).tested.apply(to: image)
    }

    /// The channels of the outermost pixels.
    private func edges(of image: Image) -> [UInt8] {
        let (right, bottom) = (image.size.width - 1, image.size.height - 1)
        let pixels = image.exactPixels
        return pixels.indices.filter { index in
            let (x, y) = (index % (right + 1), index / (right + 1))
            return x == 0 || y == 0 || x == right || y == bottom
        }.flatMap { pixels[$0] }
    }

    @Test(arguments: [1.0, 5.99, 6.0, 20.0, 200.0])
    func `a step edge becomes the integral of a Gaussian at its position`(sigma: Double) throws {
        let width = 300
        let row = (0..<width).map { [UInt8($0 < 131 ? 0 : 255)] }
        let result = try TransformChain.blur(sigma: sigma).tested.apply(to: .row(of: row))
        for (x, pixel) in result.exactPixels.enumerated() {
            var expected = 0.0
            var sum = 0.0
            for offset in Int(-6 * sigma)...Int(6 * sigma) {
                let distance = Double(offset) / sigma
                let weight = exp(-distance * distance / 2)
                sum += weight
                if x + offset >= 131 { expected += weight }
            }
            #expect(abs(Double(pixel[0]) - expected / sum * 255) < 1.5, "at \(x)")
        }
    }

    @Test func `the switch to the cell method is not visible`() throws {
        let image = TestImages.photograph(PixelSize(width: 161, height: 120))
        let narrower = try TransformChain.blur(sigma: 5.999).tested.apply(to: image)
        let wider = try TransformChain.blur(sigma: 6).tested.apply(to: image)
        let difference = wider.difference(from: narrower)
        #expect(difference.mean < 0.3 && difference.most <= 3)
    }

    @Test(arguments: [0.1, 3, 6, 50, 200], PixelFormat.eightBitFormats)
    func `a flat colour stays that colour`(sigma: Double, format: PixelFormat) throws {
        let pixel: [UInt8] = Array([200, 100, 50, 128].prefix(format.bytesPerPixel))
        let image = Image.row(of: Array(repeating: pixel, count: 37))
        #expect(
            try TransformChain.blur(sigma: sigma).tested.apply(to: image).exactPixels == image.exactPixels
        )
    }

    @Test(arguments: [4.0, 9.0])
    func `transparent pixels add no colour`(sigma: Double) throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        #expect(try TransformChain.blur(sigma: sigma).tested.apply(to: disc).hasNoFringe(of: .red))
    }

    @Test func `long and thin images can be blurred`() throws {
        for size in [PixelSize(width: 20_000, height: 1), PixelSize(width: 1, height: 20_000)] {
            let image = TestImages.asymmetric(size, format: .gray8)
            #expect(try TransformChain.blur(sigma: 200).tested.apply(to: image).size == size)
        }
    }

    @Test func `a tiny sigma changes nothing`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 20, height: 20))
        let result = try TransformChain.blur(sigma: .leastNonzeroMagnitude).tested.apply(to: image)
        #expect(result.exactPixels == image.exactPixels)
    }

    @Test(arguments: [0, -1, .nan, .infinity, 200.1])
    func `an invalid sigma is refused before work starts`(sigma: Double) {
        #expect(throws: TransformError.self) { try TransformChain.blur(sigma: sigma).validate() }
    }
}
