import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestTraits
import Testing

@Suite(.blocking) struct BlurTests {
    @Test func `keys are spelled as they have always been, and tell all properties apart`() throws {
        #expect(TransformChain.blur(sigma: 3).cacheIdentity == "blur-1(sigma=3.0)")
        try TransformConformance(.blur(sigma: 3)).run(changed: [.blur(sigma: 3.0000000000000004)])
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"), arguments: [1.0, 3.0, 8.0])
    func `a blur is that of Pillow within two levels`(sigma: Double) throws {
        let image = TestPictures.photograph(PixelSize(width: 160, height: 120))
        let ours = try TransformChain.blur(sigma: sigma).apply(to: image)
        let theirs = try Pillow.image(
            image,
            size: image.size,
            "image.filter(ImageFilter.GaussianBlur(\(sigma)))"
        )
        #expect(ours.difference(from: theirs).mean < 2)
    }

    @Test func `what is transparent lends no colour`() throws {
        let disc = TestPictures.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        #expect(try TransformChain.blur(sigma: 4).apply(to: disc).hasNoFringe(of: .red))
    }

    @Test(arguments: [0, -1, .nan, .infinity, 200.1])
    func `a sigma without sense is refused before work starts`(sigma: Double) {
        #expect(throws: TransformError.self) { try TransformChain.blur(sigma: sigma).validate() }
    }
}
