import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct RoundCornersTests {
    private static let red = RGBAColor(red: 255, green: 0, blue: 0)

    @Test func `keys are pinned and distinguish all properties`() throws {
        let border = Stroke(width: 2.5, color: RGBAColor(red: 1, green: 2, blue: 3, alpha: 4))
        let corners = CornerRadii(topLeft: 1, topRight: 2, bottomRight: 3, bottomLeft: 4.5)
        #expect(
            TransformChain.roundCorners(corners).cacheIdentity
                == "roundCorners-1(topLeft=1.0,topRight=2.0,bottomRight=3.0,bottomLeft=4.5)"
        )
        #expect(
            TransformChain.roundCorners(radius: 20, border: border).cacheIdentity
                == """
                roundCorners-1(topLeft=20.0,topRight=20.0,bottomRight=20.0,bottomLeft=20.0,border=2.5,\
                color=01020304)
                """
        )
        try TransformConformance(.roundCorners(CornerRadii(5))).run(changed: [
            .roundCorners(CornerRadii(topLeft: 6, topRight: 5, bottomRight: 5, bottomLeft: 5)),
            .roundCorners(CornerRadii(topLeft: 5, topRight: 6, bottomRight: 5, bottomLeft: 5)),
            .roundCorners(CornerRadii(topLeft: 5, topRight: 5, bottomRight: 6, bottomLeft: 5)),
            .roundCorners(CornerRadii(topLeft: 5, topRight: 5, bottomRight: 5, bottomLeft: 6)),
            .roundCorners(radius: 5, border: border),
            .roundCorners(radius: 5, border: Stroke(width: 3, color: border.color)),
            .roundCorners(radius: 5, border: Stroke(width: 2.5, color: .black)),
        ])
        try TransformConformance(.roundCorners(radius: 5, border: border)).run(changed: [])
    }

    @Test func `one radius applies to each corner, and both zeros are one value`() {
        #expect(TransformChain.roundCorners(radius: 5) == .roundCorners(CornerRadii(5)))
        let (zero, negativeZero) = (
            TransformChain.roundCorners(radius: 0), TransformChain.roundCorners(radius: -0.0)
        )
        #expect(zero == negativeZero)
        #expect(zero.cacheIdentity == negativeZero.cacheIdentity)
    }

    @Test(arguments: [
        CornerRadii(1), CornerRadii(9), CornerRadii(15.5), CornerRadii(0.3), CornerRadii(7.25),
        CornerRadii(topLeft: 20, topRight: 0, bottomRight: 11, bottomLeft: 3.5),
        CornerRadii(topLeft: 31, topRight: 0, bottomRight: 31, bottomLeft: 0),
    ])
    func `the alpha of a pixel is its coverage by the shape, within two levels`(radii: CornerRadii) throws {
        let size = PixelSize(width: 40, height: 31)
        let image = RuledPictures.solid(Self.red, width: size.width, height: size.height)
        let result = try TransformChain.roundCorners(radii).tested.apply(to: image)
        #expect(result.pixelFormat == .rgba8)
        let pixels = result.allPixels
        for y in 0..<size.height {
            for x in 0..<size.width {
                let expected = 255 * ExactShapes.coverage(x, y, size, radii)
                let pixel = pixels[y * size.width + x]
                #expect(
                    abs(Double(pixel[3]) - expected) <= 2,
                    "alpha \(pixel[3]) at \(x), \(y) is \(expected)"
                )
                #expect(pixel[0..<3] == [255, 0, 0])
            }
        }
    }

    @Test(arguments: [0.4, 1, 2.75, 9, 14, 40], [CornerRadii(9), CornerRadii(topLeft: 31, bottomRight: 12)])
    func `a border covers pixels within its width of the edge`(width: Double, radii: CornerRadii) throws {
        let size = PixelSize(width: 33, height: 31)
        let image = RuledPictures.solid(Self.red, width: size.width, height: size.height)
        let blue = RGBAColor(red: 0, green: 0, blue: 255)
        let transform = TransformChain.roundCorners(radii, border: Stroke(width: width, color: blue))
        let pixels = try transform.tested.apply(to: image).allPixels
        for y in 0..<size.height {
            for x in 0..<size.width {
                let whole = ExactShapes.coverage(x, y, size, radii)
                let inside = ExactShapes.coverage(x, y, size, radii, inset: width)
                let pixel = pixels[y * size.width + x].map(Double.init)
                #expect(abs(pixel[3] - 255 * whole) <= 2)
                // Colours have little precision at low alpha.
                guard whole > 0.1 else { continue }
                let expected = 255 * inside / whole
                #expect(abs(pixel[0] - expected) <= 4, "red \(pixel[0]) at \(x), \(y) is \(expected)")
                #expect(abs(pixel[0] + pixel[2] - 255) <= 1)
            }
        }
    }

    @Test func `corners of equal radii are mirror images`() throws {
        let image = RuledPictures.solid(Self.red, width: 37, height: 24)
        let result = try TransformChain.roundCorners(
            radius: 10.3,
            border: Stroke(width: 2.2, color: RGBAColor(red: 9, green: 99, blue: 199, alpha: 99))
        ).tested.apply(to: image)
        let pixels = result.allPixels
        for y in 0..<24 {
            for x in 0..<37 {
                #expect(pixels[y * 37 + x] == pixels[y * 37 + 36 - x])
                #expect(pixels[y * 37 + x] == pixels[(23 - y) * 37 + x])
            }
        }
    }

    @Test(arguments: [16, 100, 300_000])
    func `radii that do not fit are reduced in proportion`(radius: Double) throws {
        let image = TestImages.photograph(PixelSize(width: 50, height: 20))
        let pill = try TransformChain.roundCorners(radius: 10).tested.apply(to: image)
        #expect(
            try TransformChain.roundCorners(radius: radius).tested.apply(to: image).rgba8() == pill.rgba8()
        )
        let uneven = CornerRadii(topLeft: radius, bottomLeft: radius * 3)
        let fitted = CornerRadii(topLeft: 5, bottomLeft: 15)
        #expect(
            try TransformChain.roundCorners(uneven).tested.apply(to: image).rgba8()
                == TransformChain.roundCorners(fitted).tested.apply(to: image).rgba8()
        )
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `colours and alpha inside are unchanged`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 30, height: 20), format: format)
        let result = try TransformChain.roundCorners(radius: 6).tested.apply(to: image)
        #expect(result.pixelFormat == .rgba8)
        #expect((0..<30).allSatisfy { result.pixel($0, 10) == image.pixel($0, 10) })
        #expect(result.pixel(0, 0)[3] == 0)
    }

    @Test func `the alpha of source and shape is multiplied`() throws {
        let half = RGBAColor(red: 255, green: 0, blue: 0, alpha: 128)
        let image = RuledPictures.solid(half, width: 20, height: 20)
        let result = try TransformChain.roundCorners(radius: 8).tested.apply(to: image)
        for x in 0..<20 {
            let coverage = ExactShapes.coverage(x, 1, image.size, CornerRadii(8))
            #expect(abs(Double(result.pixel(x, 1)[3]) - 128 * coverage) <= 1)
        }
    }

    @Test func `a translucent border is composited over the image`() throws {
        let image = RuledPictures.solid(Self.red, width: 20, height: 20)
        let blue = RGBAColor(red: 0, green: 0, blue: 255, alpha: 102)
        let result = try TransformChain.roundCorners(radius: 5, border: Stroke(width: 3, color: blue))
            .tested.apply(to: image)
        #expect(result.pixel(1, 10) == [153, 0, 102, 255])
        let clear = RuledPictures.solid(.clear, width: 20, height: 20)
        let line = try TransformChain.roundCorners(radius: 5, border: Stroke(width: 3, color: blue))
            .tested.apply(to: clear)
        #expect(line.pixel(1, 10) == [0, 0, 255, 102])
        #expect(line.pixel(10, 10)[3] == 0)
    }

    @Test func `neither the edge nor the border has a fringe`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        for border in [nil, Stroke(width: 0.5, color: Self.red), Stroke(width: 7.3, color: Self.red)] {
            let result = try TransformChain.roundCorners(radius: 30, border: border).tested.apply(to: disc)
            #expect(result.hasNoFringe(of: .red))
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a radius of zero changes nothing`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 9, height: 7), format: format)
        let result = try TransformChain.roundCorners(radius: 0).tested.apply(to: image)
        #expect(result.pixelFormat == format)
        #expect(result.rgba8() == image.rgba8())
        let border = Stroke(width: 2, color: .white)
        #expect(
            try TransformChain.roundCorners(radius: 0, border: border).tested.apply(to: image).rgba8()
                == TransformChain.border(border).tested.apply(to: image).rgba8()
        )
    }

    @Test func `an image of one pixel is rounded to a disc`() throws {
        let image = RuledPictures.solid(Self.red, width: 1, height: 1)
        let result = try TransformChain.roundCorners(radius: 3).tested.apply(to: image)
        #expect(result.pixel(0, 0) == [255, 0, 0, 200])
    }

    @Test func `a long thin image has round ends`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 20_000, height: 3))
        let border = Stroke(width: 1, color: .white)
        let pixels = try TransformChain.roundCorners(radius: 1_000_000, border: border).tested.apply(
            to: image
        )
        .allPixels
        let corner = 255 * ExactShapes.coverage(0, 0, image.size, CornerRadii(1.5))
        #expect(abs(Double(pixels[0][3]) - corner) <= 2)
        #expect(pixels[19_999][3] == pixels[0][3])
        #expect(pixels[10_000] == [255, 255, 255, 255])
        #expect(pixels[30_000] == image.allPixels[30_000])
    }

    @Test(arguments: [-1, .nan, .infinity, -.infinity, 1_000_000.5, 1e308])
    func `an invalid radius is refused before work starts`(radius: Double) {
        #expect(throws: TransformError.self) { try TransformChain.roundCorners(radius: radius).validate() }
        #expect(throws: TransformError.self) {
            try TransformChain.roundCorners(CornerRadii(bottomLeft: radius)).validate()
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e308])
    func `an invalid border is refused before work starts`(width: Double) {
        let stroke = Stroke(width: width, color: .black)
        let chains: [TransformChain] = [
            .roundCorners(radius: 3, border: stroke), .circle(border: stroke), .border(stroke),
        ]
        for chain in chains {
            #expect(throws: TransformError.self) { try chain.validate() }
        }
    }
}
