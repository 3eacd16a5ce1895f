import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ResamplingTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 160, height: 120))
    private static let sizes = [(80, 60), (61, 47), (40, 110), (17, 9), (159, 119), (240, 180), (320, 50)]

    @Test(
        .enabled(if: Pillow.isPresent, "\(Pillow.advice)"),
        arguments: [(ResamplingKernel.linear, "BILINEAR"), (.cubic, "BICUBIC"), (.lanczos3, "LANCZOS")],
        sizes
    )
    func `a resize matches Pillow within a level`(
        kernel: (ours: ResamplingKernel, theirs: String),
        side: (Int, Int)
    ) throws {
        let size = PixelSize(width: side.0, height: side.1)
        for image in [
            Self.photograph, TestImages.photograph(Self.photograph.size, format: .gray8, seed: 9),
        ] {
            let ours = try TransformChain.resize(to: size, kernel: kernel.ours, light: .encoded)
                .tested.apply(to: image)
            let theirs = try Pillow.image(
                image,
                size: size,
                "image.resize((\(size.width), \(size.height)), Image.\(kernel.theirs))"
            )
            #expect(ours.difference(from: theirs).mean < 1)
        }
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"), arguments: sizes)
    func `nearest-pixel resizing matches Pillow, except for centres between two pixels`(side: (Int, Int))
        throws
    {
        let size = PixelSize(width: side.0, height: side.1)
        let ours = try TransformChain.resize(to: size, kernel: .nearest).tested.apply(to: Self.photograph)
        let theirs = try Pillow.image(
            Self.photograph,
            size: size,
            "image.resize((\(size.width), \(size.height)), Image.NEAREST)"
        )
        for (index, pixels) in zip(ours.allPixels, theirs.allPixels).enumerated()
        where !liesBetweenTwo(index % size.width, 160, size.width)
            && !liesBetweenTwo(index / size.width, 120, size.height)
        {
            #expect(pixels.0 == pixels.1)
        }
    }

    /// Whether the centre of a new pixel is exactly on the border of two old ones.
    private func liesBetweenTwo(_ index: Int, _ old: Int, _ new: Int) -> Bool {
        (2 * index + 1) * old % (2 * new) == 0
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `the nearest pixel is copied, alpha and all`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 9, height: 6), format: format)
        let small = try TransformChain.resize(to: PixelSize(width: 3, height: 2), kernel: .nearest)
            .tested.apply(to: image)
        #expect(small.allPixels == image.moved(to: small.size) { ($0 * 3 + 1, $1 * 3 + 1) })
        let large = try TransformChain.resize(to: PixelSize(width: 18, height: 24), kernel: .nearest)
            .tested.apply(to: image)
        #expect(large.allPixels == image.moved(to: large.size) { ($0 / 2, $1 / 4) })
        let wide = try TransformChain.resize(to: PixelSize(width: 30, height: 6), kernel: .nearest)
            .tested.apply(to: image)
        #expect(wide.allPixels == image.moved(to: wide.size) { (($0 * 2 + 1) * 9 / 60, $1) })
    }

    @Test(arguments: [ResamplingKernel.linear, .cubic, .lanczos3], ResamplingLight.allCases)
    func `transparent pixels add no colour`(kernel: ResamplingKernel, light: ResamplingLight) throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        for side in [23, 64 * 3] {
            let size = PixelSize(width: side, height: side)
            let result = try TransformChain.resize(to: size, kernel: kernel, light: light)
                .tested.apply(to: disc)
            #expect(result.hasNoFringe(of: .red))
            #expect(result.allPixels.contains { $0[3] > 16 && $0[3] < 240 })
        }
    }

    // libvips shifts enlarged images by half a pixel.
    @Test(arguments: [ResamplingKernel.linear, .cubic, .lanczos3], ResamplingLight.allCases)
    func `symmetric images stay symmetric`(kernel: ResamplingKernel, light: ResamplingLight) throws {
        let ring = Image.drawn(21, 17, .gray8) { x, y in
            .gray(abs(abs(x - 10) - 5) < 2 || abs(abs(y - 8) - 4) < 2 ? 230 : 20)
        }
        for (width, height) in [(63, 51), (42, 17), (21, 34), (50, 9), (10, 40), (11, 8)] {
            let size = PixelSize(width: width, height: height)
            let result = try TransformChain.resize(to: size, kernel: kernel, light: light)
                .tested.apply(to: ring)
            for axis in FlipAxis.allCases {
                let mirrored = try TransformChain.flip(axis).tested.apply(to: result)
                #expect(mirrored.difference(from: result).most <= 8, "\(size)")
            }
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `in linear light black and white average to perceptual mid-gray`(format: PixelFormat) throws {
        let board = Image.drawn(64, 64, format) { x, y in .gray((x + y) % 2 * 255) }
        let size = PixelSize(width: 8, height: 8)
        let light = try TransformChain.resize(to: size, light: .linear).tested.apply(to: board)
        #expect(light.pixelFormat == format)
        #expect(light.allPixels[27].prefix(3).allSatisfy { abs(Int($0) - 188) <= 1 })
        let gamma = try TransformChain.resize(to: size, light: .encoded).tested.apply(to: board)
        #expect(gamma.allPixels[27].prefix(3).allSatisfy { abs(Int($0) - 128) <= 1 })
    }

    @Test func `alpha is the same in linear light, after rounding`() throws {
        let image = TestImages.photograph(PixelSize(width: 90, height: 60), format: .rgba8)
        let size = PixelSize(width: 37, height: 80)
        let gamma = try TransformChain.resize(to: size, light: .encoded).tested.apply(to: image).allPixels
        let light = try TransformChain.resize(to: size, light: .linear).tested.apply(to: image).allPixels
        let differing = zip(gamma, light).count { $0[3] != $1[3] }
        // Except for sums between two levels.
        #expect(differing * 50 < gamma.count)
    }

    @Test(arguments: PixelFormat.eightBitFormats, ResamplingLight.allCases)
    func `a flat colour stays that colour`(format: PixelFormat, light: ResamplingLight) throws {
        let color = RGBAColor(red: 200, green: 100, blue: 50, alpha: 127)
        let image = Image.drawn(40, 30, format) { _, _ in color }
        for size in [PixelSize(width: 13, height: 11), PixelSize(width: 70, height: 31)] {
            let result = try TransformChain.resize(to: size, light: light).tested.apply(
                to: image
            )
            let expected = image.pixel(0, 0)
            #expect(
                result.allPixels.allSatisfy { zip($0, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 } }
            )
            #expect(result.allPixels.allSatisfy { $0[3] == expected[3] })
        }
    }

    private static let formats: [(ImageFormat?, linear: Bool)] = [
        (nil, true), (.jpeg, true), (.webP, true), (.avif, true), (.heic, true), (.jpegXL, true),
        (.tiff, true), (.png, false), (.gif, false), (.bmp, false), (.ico, false), (.svg, false),
    ]

    @Test(arguments: formats)
    func `without a setting photographs are reduced in linear light, and graphics by their levels`(
        format: ImageFormat?,
        linear: Bool
    ) throws {
        let drawn = Image.drawn(64, 64, .rgb8) { x, y in .gray((x + y) % 2 * 255) }
        let board = Image(size: drawn.size, pixelFormat: .rgb8, pixels: drawn.pixels, format: format)
        for kernel in [ResamplingKernel.linear, .cubic, .lanczos3] {
            let chain = TransformChain.resize(to: PixelSize(width: 8, height: 8), kernel: kernel)
            let level = Int(try chain.tested.apply(to: board).allPixels[27][0])
            #expect(abs(level - (linear ? 188 : 128)) <= 1, "\(kernel): \(level)")
        }
        for (light, expected) in [(ResamplingLight.linear, 188), (.encoded, 128)] {
            let metadata = ImageMetadata(light: light)
            let stated = board.replacing(animation: nil, metadata: metadata)
            let size = PixelSize(width: 8, height: 8)
            let level = Int(try TransformChain.resize(to: size).tested.apply(to: stated).allPixels[27][0])
            #expect(abs(level - expected) <= 1, "the metadata decide before the format: \(level)")
        }
    }

    @Test func `enlarging mixes levels unless linear light is requested`() throws {
        let image = Image.drawn(16, 16, .gray8) { x, _ in .gray(x < 8 ? 0 : 255) }
        for size in [PixelSize(width: 64, height: 64), PixelSize(width: 64, height: 8)] {
            func resized(_ light: ResamplingLight) throws -> Image {
                try TransformChain.resize(to: size, light: light).tested.apply(to: image)
            }
            #expect(try resized(.automatic).allPixels == resized(.encoded).allPixels)
            #expect(try resized(.linear).difference(from: resized(.encoded)).most > 20)
        }
    }

    @Test func `levels of PQ are mixed as they are`() throws {
        let board = Image.drawn(64, 64, .rgb8) { x, y in .gray((x + y) % 2 * 255) }
        let high = board.replacing(animation: nil, metadata: ImageMetadata(colorSpace: .rec2100PQ))
        let small = try TransformChain.resize(to: PixelSize(width: 8, height: 8)).tested.apply(to: high)
        #expect(abs(Int(small.allPixels[27][0]) - 128) <= 1)
    }
}
