import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BorderTests {
    private static let green = RGBAColor(red: 0, green: 255, blue: 0)

    @Test func `keys are pinned and distinguish all properties`() throws {
        let chain = TransformChain.border(width: 3, color: Self.green)
        #expect(chain.cacheIdentity == "border-1(width=3.0,color=00ff00ff)")
        #expect(chain == .border(Stroke(width: 3, color: Self.green)))
        try TransformConformance(chain).run(changed: [
            .border(width: 3.5, color: Self.green),
            .border(width: 3, color: RGBAColor(red: 0, green: 255, blue: 0, alpha: 254)),
        ])
    }

    @Test func `the border is drawn inside the edges`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 12, height: 9))
        let result = try TransformChain.border(width: 2, color: Self.green).tested.apply(to: image)
        #expect(result.size == image.size)
        for y in 0..<9 {
            for x in 0..<12 {
                let isInside = (2..<10).contains(x) && (2..<7).contains(y)
                #expect(result.pixel(x, y) == (isInside ? image.pixel(x, y) : [0, 255, 0, 255]))
            }
        }
    }

    @Test func `a fraction of a pixel is drawn with as much alpha`() throws {
        let image = RuledPictures.solid(.black, width: 10, height: 10)
        let result = try TransformChain.border(width: 1.4, color: .white).tested.apply(to: image)
        #expect(result.pixel(0, 5) == [255, 255, 255, 255])
        #expect(result.pixel(1, 5) == [102, 102, 102, 255])
        #expect(result.pixel(8, 5) == [102, 102, 102, 255])
        // 1 − 0.6 × 0.6 of the corner's pixel is covered.
        #expect(result.pixel(1, 1) == [163, 163, 163, 255])
        #expect(result.pixel(2, 5) == [0, 0, 0, 255])
    }

    @Test(arguments: [4.5, 5, 1_000_000])
    func `a border as wide as half the image fills it`(width: Double) throws {
        let image = TestImages.asymmetric(PixelSize(width: 20, height: 9))
        let result = try TransformChain.border(width: width, color: Self.green).tested.apply(to: image)
        #expect((0..<9).allSatisfy { result.pixel($0 * 2, $0) == [0, 255, 0, 255] })
    }

    @Test func `an image of one pixel is filled by the border's coverage`() throws {
        let image = RuledPictures.solid(.black, width: 1, height: 1)
        #expect(
            try TransformChain.border(width: 0.25, color: .white).tested.apply(to: image).pixel(0, 0)
                == [191, 191, 191, 255]
        )
    }

    @Test func `pixel formats are retained if the colours allow it`() throws {
        let size = PixelSize(width: 8, height: 8)
        let translucent = RGBAColor(red: 255, green: 255, blue: 255, alpha: 99)
        let expected: [(PixelFormat, RGBAColor, PixelFormat)] = [
            (.gray8, .white, .gray8), (.gray8, translucent, .gray8), (.gray8, Self.green, .rgb8),
            (.rgb8, .white, .rgb8), (.rgb8, translucent, .rgb8), (.rgba8, .white, .rgba8),
        ]
        for (format, color, result) in expected {
            let image = TestImages.asymmetric(size, format: format)
            #expect(
                try TransformChain.border(width: 1, color: color).tested.apply(to: image).pixelFormat
                    == result
            )
        }
    }

    @Test func `the levels of a gray image are unchanged inside the border`() throws {
        let image = TestImages.photograph(PixelSize(width: 16, height: 16), format: .gray8)
        let result = try TransformChain.border(width: 1, color: .black).tested.apply(to: image)
        #expect(result.pixel(0, 4) == [0, 0, 0, 255])
        #expect((1..<15).allSatisfy { result.pixel($0, $0) == image.pixel($0, $0) })
    }

    @Test func `a translucent border is composited over translucent pixels`() throws {
        let half = RGBAColor(red: 255, green: 0, blue: 0, alpha: 128)
        let image = RuledPictures.solid(half, width: 9, height: 9)
        let line = RGBAColor(red: 0, green: 0, blue: 255, alpha: 128)
        let result = try TransformChain.border(width: 2, color: line).tested.apply(to: image)
        // Alpha is 128 + 128 × 127 ÷ 255, of which the line contributes 128.
        let alpha = 128 + 128 * 127 / 255.0
        let pixel = result.pixel(0, 4).map(Double.init)
        #expect(pixel[3] == alpha.rounded())
        #expect(abs(pixel[2] - 255 * 128 / alpha) <= 1)
        #expect(abs(pixel[0] - 255 * (alpha - 128) / alpha) <= 1)
        #expect(result.pixel(4, 4) == [255, 0, 0, 128])
    }
}
