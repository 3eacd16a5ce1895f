import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct SmartCropTests {
    @Test func `keys are pinned and distinguish all properties`() throws {
        let size = PixelSize(width: 20, height: 16)
        #expect(TransformChain.smartCrop(to: size).cacheIdentity == "smartCrop-1(size=20x16)")
        try TransformConformance(.smartCrop(to: size)).run(changed: [
            .smartCrop(to: PixelSize(width: 21, height: 16)),
            .smartCrop(to: PixelSize(width: 20, height: 17)),
            .crop(to: size),
        ])
    }

    /// Gray with a patch of saturated colours.
    private func picture(patchAt left: Int, _ format: PixelFormat = .rgb8) -> Image {
        Image.drawn(300, 100, format) { x, y in
            guard (left..<left + 40).contains(x), (30..<70).contains(y) else { return .gray(90) }
            return (x / 4 + y / 4) % 2 == 0 ? .pureRed : RGBAColor(red: 250, green: 220, blue: 0)
        }
    }

    @Test(arguments: [5, 130, 255]) func `a salient area is retained`(left: Int) throws {
        let part = try TransformChain.smartCrop(to: PixelSize(width: 100, height: 100))
            .tested.apply(to: picture(patchAt: left))
        #expect(part.size == PixelSize(width: 100, height: 100))
        #expect(part.allPixels.count { $0 != [90, 90, 90, 255] } == 40 * 40)
    }

    @Test func `invisible colours are not salient`() throws {
        let image = Image.drawn(300, 100, .rgba8) { x, y in
            let isEven = (x / 4 + y / 4) % 2 == 0
            if x < 100 { return RGBAColor(red: isEven ? 255 : 0, green: isEven ? 0 : 255, blue: 0, alpha: 0) }
            return (220..<260).contains(x) && (30..<70).contains(y) ? .gray(isEven ? 255 : 0) : .gray(90)
        }
        let part = try TransformChain.smartCrop(to: PixelSize(width: 100, height: 100)).tested.apply(
            to: image
        )
        #expect(part.allPixels.contains { $0[0] == 255 && $0[3] == 255 })
    }

    @Test(arguments: [0, 255]) func `content on transparent pixels is salient, black or white`(
        value: Int
    ) throws {
        let image = Image.drawn(300, 100, .rgba8) { x, y in
            (220..<260).contains(x) && (30..<70).contains(y) ? .gray(value) : .clear
        }
        let part = try TransformChain.smartCrop(to: PixelSize(width: 100, height: 100)).tested.apply(
            to: image
        )
        #expect(part.allPixels.count { $0[3] == 255 } == 40 * 40)
    }

    @Test func `all frames are cropped at the position of the first`() throws {
        let image = Animation.image(of: [picture(patchAt: 5), picture(patchAt: 255)])
        let result = try TransformChain.smartCrop(to: PixelSize(width: 100, height: 100)).tested.apply(
            to: image
        )
        let second = try #require(result.animation).decodeFrame(at: 1)
        #expect(second.allPixels.allSatisfy { $0 == [90, 90, 90, 255] })
    }

    @Test(arguments: [(1, 1), (2, 2), (20_000, 1), (1, 20_000), (5000, 3)])
    func `images of any size and shape can be cropped`(sides: (Int, Int)) throws {
        let image = Image.drawn(sides.0, sides.1, .gray8) { x, y in .gray(x &* 7 &+ y) }
        for size in [(1, 1), (100, 1), (1, 100), (.max, .max)] {
            let result = try TransformChain.smartCrop(to: PixelSize(width: size.0, height: size.1))
                .tested.apply(to: image)
            #expect(result.size == PixelSize(width: min(size.0, sides.0), height: min(size.1, sides.1)))
        }
    }
}
