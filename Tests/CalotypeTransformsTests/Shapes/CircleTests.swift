import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct CircleTests {
    private static let white = Stroke(width: 2, color: .white)

    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.circle().cacheIdentity == "circle-1()")
        #expect(
            TransformChain.circle(border: Self.white).cacheIdentity == "circle-1(border=2.0,color=ffffffff)"
        )
        try TransformConformance(.circle()).run(changed: [
            .circle(border: Self.white),
            .circle(border: Stroke(width: 2, color: .black)),
            .circle(border: Stroke(width: 2.1, color: .white)),
        ])
        try TransformConformance(.circle(border: Self.white)).run(changed: [])
    }

    @Test(arguments: [(30, 20), (20, 30), (20, 20), (21, 1000), (31, 20)])
    func `the circle is the centre of the image, as wide as its shorter side`(width: Int, height: Int) throws
    {
        let image = TestImages.asymmetric(PixelSize(width: width, height: height))
        let result = try TransformChain.circle().tested.apply(to: image)
        let side = min(width, height)
        #expect(result.size == PixelSize(width: side, height: side))
        let (left, top) = ((width - side) / 2, (height - side) / 2)
        let middle = side / 2
        #expect(result.pixel(middle, middle) == image.pixel(left + middle, top + middle))
        #expect(result.pixel(middle, 2) == image.pixel(left + middle, top + 2))
    }

    @Test(arguments: [1, 2, 3, 24, 25])
    func `the coverage of edge pixels is exact`(side: Int) throws {
        let size = PixelSize(width: side, height: side)
        let image = RuledPictures.solid(.black, width: side + 4, height: side)
        let result = try TransformChain.circle().tested.apply(to: image)
        for y in 0..<side {
            for x in 0..<side {
                let expected = 255 * ExactShapes.coverage(x, y, size, CornerRadii(Double(side) / 2))
                #expect(abs(Double(result.pixel(x, y)[3]) - expected) <= 2)
            }
        }
    }

    @Test func `a gray image with a border has the border's colour`() throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 40), format: .gray8)
        let green = RGBAColor(red: 0, green: 200, blue: 0)
        let result = try TransformChain.circle(border: Stroke(width: 4, color: green)).tested.apply(to: image)
        #expect(result.pixel(20, 1) == [0, 200, 0, 255])
        #expect(result.pixel(20, 20) == image.pixel(20, 20))
        let gray = try TransformChain.circle(border: Stroke(width: 4, color: .white)).tested.apply(to: image)
        #expect(gray.pixel(20, 1) == [255, 255, 255, 255])
        #expect(gray.pixel(20, 20) == image.pixel(20, 20))
    }

    @Test func `the edge has no fringe`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        #expect(try TransformChain.circle().tested.apply(to: disc).hasNoFringe(of: .red))
    }
}
