import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct OverlayTests {
    private static let base = RuledPictures.solid(
        RGBAColor(red: 0, green: 0, blue: 255),
        width: 12,
        height: 10
    )
    private static let badge = RuledPictures.solid(
        RGBAColor(red: 255, green: 0, blue: 0),
        width: 4,
        height: 2
    )
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]

    /// The positions of red pixels in the result.
    private func redBox(_ chain: TransformChain, on image: Image = base) throws -> [[Int]] {
        let result = try chain.tested.apply(to: image)
        #expect(result.size == image.size)
        return result.allPixels.enumerated().filter { $0.element == Self.red }.map {
            [$0.offset % image.size.width, $0.offset / image.size.width]
        }
    }

    private func box(_ columns: Range<Int>, _ rows: Range<Int>) -> [[Int]] {
        rows.flatMap { y in columns.map { [$0, y] } }
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let chain = TransformChain.overlay(Self.badge)
        #expect(
            chain.cacheIdentity == """
                overlay-1(sha256=11b944b833b759f73ab686378c8eba4166ca5517951310881cb6178ce69c08ea,\
                gravity=bottomRight,margin=0,opacity=1.0,tileSpacing=none,blend=sourceOver)
                """
        )
        let others = [
            RuledPictures.solid(RGBAColor(red: 254, green: 0, blue: 0), width: 4, height: 2),
            RuledPictures.solid(RGBAColor(red: 255, green: 0, blue: 0), width: 2, height: 4),
            RuledPictures.image([UInt8](repeating: 7, count: 12), width: 4, height: 3, format: .gray8),
            RuledPictures.image([UInt8](repeating: 7, count: 12), width: 2, height: 2, format: .rgb8),
            RuledPictures.image([UInt8](repeating: 7, count: 12), width: 3, height: 1, format: .rgba8),
        ]
        try TransformConformance(chain).run(
            changed: others.map { .overlay($0) } + [
                .overlay(Self.badge, gravity: .bottom),
                .overlay(Self.badge, margin: 1),
                .overlay(Self.badge, opacity: 0.5),
                .overlay(Self.badge, isTiled: true),
                .overlay(Self.badge, isTiled: true, spacing: 1),
                .overlay(Self.badge, blend: .multiply),
            ]
        )
        try TransformConformance(.overlay(Self.badge, opacity: 0.3, isTiled: true, spacing: 3)).run(
            changed: [])
    }

    @Test func `overlays with equal pixels are equal, whatever their metadata`() {
        let copy = RuledPictures.image(
            [UInt8](Self.badge.rgba8()),
            width: 4,
            height: 2,
            format: .rgba8
        )
        let scaled = Image(size: copy.size, pixelFormat: .rgba8, pixels: copy.pixels, scale: 3, format: .png)
        #expect(TransformChain.overlay(scaled) == .overlay(Self.badge))
        #expect(TransformChain.overlay(scaled).hashValue == TransformChain.overlay(Self.badge).hashValue)
        #expect(
            TransformChain.overlay(scaled).cacheIdentity == TransformChain.overlay(Self.badge).cacheIdentity
        )
        #expect(TransformChain.overlay(copy, spacing: 4) == .overlay(copy))
    }

    @Test(
        arguments: [
            (.topLeft, 0, 0), (.top, 4, 0), (.topRight, 8, 0), (.left, 0, 4), (.center, 4, 4), (.right, 8, 4),
            (.bottomLeft, 0, 8), (.bottom, 4, 8), (.bottomRight, 8, 8),
        ] as [(Gravity, Int, Int)]
    )
    func `an overlay is placed by its gravity`(gravity: Gravity, x: Int, y: Int) throws {
        #expect(try redBox(.overlay(Self.badge, gravity: gravity)) == box(x..<x + 4, y..<y + 2))
    }

    @Test(
        arguments: [
            (.topLeft, 1, 1), (.top, 4, 1), (.topRight, 7, 1), (.left, 1, 4), (.center, 4, 4), (.right, 7, 4),
            (.bottomLeft, 1, 7), (.bottom, 4, 7), (.bottomRight, 7, 7),
        ] as [(Gravity, Int, Int)]
    )
    func `a margin is applied at the anchored sides`(gravity: Gravity, x: Int, y: Int) throws {
        #expect(try redBox(.overlay(Self.badge, gravity: gravity, margin: 1)) == box(x..<x + 4, y..<y + 2))
    }

    @Test func `a margin as wide as the image moves the overlay out of it`() throws {
        #expect(try redBox(.overlay(Self.badge, margin: 1_000_000)).isEmpty)
        #expect(try redBox(.overlay(Self.badge, margin: 9)) == box(0..<3, 0..<1))
    }

    @Test(
        arguments: [
            (0, [0, 0, 255, 255]), (0.5, [128, 0, 128, 255]), (0.25, [64, 0, 191, 255]),
            (1, [255, 0, 0, 255]),
        ] as [(Double, [UInt8])]
    )
    func `opacity scales the visibility of the overlay`(opacity: Double, expected: [UInt8]) throws {
        let result = try TransformChain.overlay(Self.badge, opacity: opacity).tested.apply(to: Self.base)
        #expect(result.pixel(11, 9) == expected)
        #expect(result.pixel(0, 0) == Self.blue)
    }

    @Test func `opacity multiplies the overlay's alpha`() throws {
        let half = RuledPictures.solid(
            RGBAColor(red: 255, green: 0, blue: 0, alpha: 102),
            width: 4,
            height: 2
        )
        let result = try TransformChain.overlay(half, opacity: 0.5).tested.apply(to: Self.base)
        #expect(result.pixel(11, 9) == [51, 0, 204, 255])
        let clear = RuledPictures.solid(.clear, width: 12, height: 10)
        #expect(
            try TransformChain.overlay(half, opacity: 0.5).tested.apply(to: clear).pixel(11, 9) == [
                255, 0, 0, 51,
            ]
        )
    }

    @Test func `colours are rounded to the nearest level`() throws {
        let base = RuledPictures.solid(RGBAColor(red: 10, green: 20, blue: 31), width: 4, height: 2)
        let layer = RuledPictures.solid(
            RGBAColor(red: 200, green: 101, blue: 50, alpha: 128),
            width: 4,
            height: 2
        )
        // 105.37, 60.66 and 40.54.
        #expect(try TransformChain.overlay(layer).tested.apply(to: base).pixel(1, 1) == [105, 61, 41, 255])
    }

    @Test func `an overlay is clipped to the image`() throws {
        let large = TestImages.asymmetric(PixelSize(width: 30, height: 20))
        for (gravity, x, y) in [(Gravity.topLeft, 0, 0), (.center, 9, 5), (.bottomRight, 18, 10)] {
            let result = try TransformChain.overlay(large, gravity: gravity).tested.apply(to: Self.base)
            #expect(result.size == Self.base.size)
            #expect(result.pixel(0, 0) == large.pixel(x, y))
            #expect(result.pixel(11, 9) == large.pixel(x + 11, y + 9))
        }
    }

    @Test func `tiles cover all of the image`() throws {
        let tile = TestImages.asymmetric(PixelSize(width: 5, height: 3))
        let result = try TransformChain.overlay(tile, gravity: .topLeft, isTiled: true).tested.apply(
            to: Self.base
        )
        for y in 0..<10 {
            for x in 0..<12 { #expect(result.pixel(x, y) == tile.pixel(x % 5, y % 3)) }
        }
    }

    @Test(arguments: Gravity.allCases)
    func `tiles repeat from the position of a single overlay, with spacing`(gravity: Gravity) throws {
        let one = try redBox(.overlay(Self.badge, gravity: gravity, margin: 2))
        let tiles = try redBox(.overlay(Self.badge, gravity: gravity, margin: 2, isTiled: true, spacing: 3))
        let expected = box(0..<12, 0..<10).filter { place in
            one.contains { (place[0] - $0[0]) % 7 == 0 && (place[1] - $0[1]) % 5 == 0 }
        }
        #expect(tiles == expected)
    }

    @Test func `one-pixel tiles, and spacing wider than the image, are allowed`() throws {
        let dot = RuledPictures.solid(RGBAColor(red: 255, green: 0, blue: 0), width: 1, height: 1)
        #expect(try redBox(.overlay(dot, isTiled: true)) == box(0..<12, 0..<10))
        let far = TransformChain.overlay(dot, gravity: .topLeft, isTiled: true, spacing: 1_000_000)
        #expect(try redBox(far) == [[0, 0]])
        let pixel = RuledPictures.solid(.black, width: 1, height: 1)
        #expect(try redBox(.overlay(Self.badge, isTiled: true, spacing: 9), on: pixel) == [[0, 0]])
        #expect(try redBox(.overlay(Self.badge), on: pixel) == [[0, 0]])
    }

    // W3C Compositing and Blending Level 1, section 10. The result of libvips differs.
    @Test func `translucent colours blend as specified by the W3C`() throws {
        let base = RGBAColor(red: 100, green: 150, blue: 200, alpha: 128)
        let layer = RGBAColor(red: 200, green: 50, blue: 100, alpha: 64)
        let result = try TransformChain.overlay(
            RuledPictures.solid(layer, width: 1, height: 1),
            gravity: .topLeft,
            blend: .multiply
        ).tested.apply(to: RuledPictures.solid(base, width: 2, height: 1))
        let (baseAlpha, layerAlpha) = (128.0 / 255, 64.0 / 255)
        let alpha = layerAlpha + baseAlpha * (1 - layerAlpha)
        func channel(_ base: Double, _ layer: Double) -> UInt8 {
            let mixed = (1 - baseAlpha) * layer + baseAlpha * base * layer / 255
            let sum = layerAlpha * mixed + baseAlpha * (1 - layerAlpha) * base
            return UInt8((sum / alpha).rounded())
        }
        let expected = [
            channel(100, 200), channel(150, 50), channel(200, 100), UInt8((alpha * 255).rounded()),
        ]
        #expect(result.allPixels == [expected, [100, 150, 200, 128]])
    }

    @Test func `blend modes combine the colours of both images`() throws {
        let base = RuledPictures.solid(RGBAColor(red: 100, green: 200, blue: 50), width: 3, height: 3)
        let layer = RuledPictures.solid(RGBAColor(red: 51, green: 204, blue: 255), width: 3, height: 3)
        let result = try TransformChain.overlay(layer, blend: .multiply).tested.apply(to: base)
        #expect(result.pixel(1, 1) == [20, 160, 50, 255])
        let screen = try TransformChain.overlay(layer, blend: .screen).tested.apply(to: base)
        #expect(screen.pixel(1, 1) == [131, 244, 255, 255])
    }

    @Test(arguments: BlendMode.allCases)
    func `opaque images stay opaque unless the mode removes pixels`(blend: BlendMode) throws {
        let base = TestImages.asymmetric(PixelSize(width: 8, height: 8))
        let layer = TestImages.asymmetric(PixelSize(width: 5, height: 5), format: .rgba8)
        let result = try TransformChain.overlay(layer, opacity: 0.7, blend: blend).tested.apply(to: base)
        let takesAway: Set<BlendMode> = [
            .sourceIn, .sourceOut, .destinationIn, .destinationOut, .destinationAtop, .xor,
        ]
        #expect(result.pixelFormat == (takesAway.contains(blend) ? .rgba8 : .rgb8))
        #expect(result.isOpaque == !takesAway.contains(blend))
    }

    @Test func `an overlay can be a mask`() throws {
        let mask = TestImages.disc(PixelSize(width: 12, height: 10), color: .white)
        let result = try TransformChain.overlay(mask, gravity: .topLeft, blend: .destinationIn)
            .tested.apply(to: Self.base)
        #expect(result.pixel(0, 0)[3] == 0)
        #expect(result.pixel(6, 5) == Self.blue)
    }

    @Test func `gray on gray stays gray`() throws {
        let size = PixelSize(width: 8, height: 8)
        let base = TestImages.photograph(size, format: .gray8)
        let gray = RuledPictures.image([9, 99, 199, 240], width: 2, height: 2, format: .gray8)
        let result = try TransformChain.overlay(gray).tested.apply(to: base)
        #expect(result.pixelFormat == .gray8)
        #expect(result.pixel(7, 7) == [240, 240, 240, 255])
        #expect(result.pixel(3, 3) == base.pixel(3, 3))
        let colored = try TransformChain.overlay(Self.badge).tested.apply(to: base)
        #expect(colored.pixelFormat == .rgb8)
        #expect(colored.pixel(7, 7) == Self.red)
    }

    @Test func `the edge has no fringe`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 32, height: 32),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        let clear = RuledPictures.solid(.clear, width: 50, height: 40)
        for opacity in [1, 0.4] {
            let result = try TransformChain.overlay(disc, opacity: opacity, isTiled: true).tested.apply(
                to: clear
            )
            #expect(result.hasNoFringe(of: .red))
        }
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `an invalid opacity is refused before work starts`(opacity: Double) {
        let chain = TransformChain.overlay(Self.badge, opacity: opacity)
        #expect(throws: TransformError.self) { try chain.validate() }
    }

    @Test(arguments: [-1, .min, .max, 1_000_001])
    func `an invalid distance is refused before work starts`(distance: Int) {
        let chains: [TransformChain] = [
            .overlay(Self.badge, margin: distance), .overlay(Self.badge, isTiled: true, spacing: distance),
        ]
        for chain in chains {
            #expect(throws: TransformError.self) { try chain.validate() }
            #expect(throws: TransformError.self) { try chain.tested.apply(to: Self.base) }
        }
    }
}
