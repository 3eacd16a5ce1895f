import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@Suite(.blocking) struct BlurHashTests {
    private static let gradient = RuledPictures.gradient(width: 48, height: 36)

    // From blurhash-python 1.2.2, which wraps the reference implementation in C.
    @Test(arguments: [
        (4, 3, "LzH{G=1lVhx.ziRqRWtLXlj[ocWX"), (1, 1, "00H{G="), (5, 2, "DzH{G=1lVhx.o2ziRqRWtLjs"),
        (
            9, 9,
            """
            |zH{G=1lVhx.o2RpkBofbaziRqRWtLjsRok9jbj?Xlj[ocWXa|j@fQbGa#REovt2Roa}ocf7bHWERpocouV{a}j?j?j@WE\
            n-bHj?a#fRa|j@j@a#aij@j?a#fQj?a#a#j?a%fkocWFfQocaha#j?V{j?ocWEa|k9a#a#fi
            """
        ),
    ])
    func `a hash matches the reference implementation`(x: Int, y: Int, text: String) throws {
        let hash = try BlurHash(encoding: Self.gradient, componentsX: x, componentsY: y)
        #expect(hash.text == text)
        #expect((hash.componentsX, hash.componentsY) == (x, y))
    }

    // The examples of the algorithm's description and its readme, drawn by blurhash-python 1.2.2.
    @Test(arguments: [
        (
            "LEHV6nWB2yk8pyo0adR*.7kCMdnj", 1.0,
            [(135, 164, 177), (144, 167, 179), (161, 145, 141), (132, 144, 149), (139, 143, 146)]
        ),
        (
            "LEHV6nWB2yk8pyo0adR*.7kCMdnj", 2.0,
            [(116, 176, 201), (136, 182, 204), (169, 139, 133), (109, 137, 149), (126, 136, 142)]
        ),
        (
            "LlMF%n00%#MwS|WCWEM{R*bbWBbH", 1.0,
            [(91, 67, 0), (236, 227, 216), (176, 128, 113), (160, 112, 65), (240, 215, 210)]
        ),
        (
            "KJG8_@Dgx]_4V?xuyE%NRj", 1.0,
            [(168, 169, 172), (175, 184, 199), (134, 122, 119), (111, 112, 101), (128, 135, 142)]
        ),
    ])
    func `a published hash is drawn as by the reference implementation`(
        text: String,
        punch: Double,
        colors: [(Int, Int, Int)]
    ) throws {
        let hash = try #require(BlurHash(text))
        let image = try hash.image(size: PixelSize(width: 8, height: 6), punch: punch)
        #expect(image.pixelFormat == .rgb8)
        for (place, color) in zip([(0, 0), (7, 0), (3, 2), (0, 5), (7, 5)], colors) {
            let pixel = image.pixel(place.0, place.1).map(Int.init)
            let expected = [color.0, color.1, color.2]
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel) is \(expected)")
        }
    }

    @Test func `a hash round-trips through its text, and equal text gives equal hashes`() throws {
        let hash = try BlurHash(encoding: Self.gradient)
        let again = try #require(BlurHash(hash.text))
        #expect(again == hash)
        #expect(again.hashValue == hash.hashValue)
        #expect(again.description == "LzH{G=1lVhx.ziRqRWtLXlj[ocWX")
        #expect(BlurHash("00H{G=") != hash)
    }

    @Test func `the average colour is exact, and alone for one component`() throws {
        let color = RGBAColor(red: 200, green: 30, blue: 77)
        let image = RuledPictures.solid(color, width: 30, height: 20)
        #expect(try BlurHash(encoding: image).averageColor == RGBColor(red: 200, green: 30, blue: 77))
        let hash = try BlurHash(encoding: image, componentsX: 1, componentsY: 1)
        let drawn = try hash.image(size: PixelSize(width: 5, height: 5))
        #expect(drawn.allPixels.allSatisfy { $0 == [200, 30, 77, 255] })
    }

    @Test func `a drawn hash resembles its image`() throws {
        let image = TestImages.photograph(PixelSize(width: 64, height: 48))
        let hash = try BlurHash(encoding: image, componentsX: 9, componentsY: 9)
        #expect(try hash.image(size: image.size).difference(from: image).mean < 16)
    }

    @Test func `scaling a large image first does not change its hash much`() throws {
        let image = TestImages.photograph(PixelSize(width: 240, height: 160))
        let soft = try TransformChain.blur(sigma: 1).apply(to: image)
        let (one, other) = (try BlurHash(encoding: image), try BlurHash(encoding: soft))
        let size = PixelSize(width: 12, height: 8)
        #expect(try one.image(size: size).difference(from: other.image(size: size)).mean < 2)
    }

    @Test func `a gray image has a gray hash`() throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 30), format: .gray8)
        let hash = try BlurHash(encoding: image)
        let drawn = try hash.image(size: PixelSize(width: 12, height: 8))
        #expect(drawn.allPixels.allSatisfy { $0[0] == $0[1] && $0[1] == $0[2] })
    }

    @Test func `transparent pixels add no colour`() throws {
        let red = RGBColor(red: 255, green: 0, blue: 0)
        let disc = TestImages.disc(PixelSize(width: 64, height: 64), color: red)
        #expect(try BlurHash(encoding: disc).averageColor == red)
        let nothing = RuledPictures.solid(.clear, width: 4, height: 4)
        #expect(try BlurHash(encoding: nothing).averageColor == .black)
    }

    @Test func `an image of one pixel, and one of one row, have hashes`() throws {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 20_000, height: 1)] {
            let image = TestImages.asymmetric(size)
            let hash = try BlurHash(encoding: image, componentsX: 9, componentsY: 9)
            #expect(BlurHash(hash.text) == hash)
        }
    }

    @Test(arguments: [(0, 3), (10, 3), (4, 0), (4, 10), (-1, 1), (.max, .min)])
    func `invalid component counts are refused`(x: Int, y: Int) {
        #expect(throws: TransformError.self) {
            try BlurHash(encoding: Self.gradient, componentsX: x, componentsY: y)
        }
    }

    @Test(
        arguments: [
            (0, 5, 1), (5, -1, 1), (2049, 5, 1), (.max, .max, 1), (5, 5, .nan), (5, 5, -0.1),
            (5, 5, .infinity),
            (5, 5, 10.1),
        ] as [(Int, Int, Double)]
    )
    func `invalid sizes and contrasts are refused`(width: Int, height: Int, punch: Double) throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        #expect(throws: TransformError.self) {
            try hash.image(size: PixelSize(width: width, height: height), punch: punch)
        }
    }

    @Test(arguments: [
        "", "0", "00H{G", "00H{G=0", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj",
        "LEHV6nWB2yk8pyo0adR*.7kCMd j", "LEHV6nWB2yk8pyo0adR*.7kCMd\"j", "LEHV6nWB2yk8pyo0adR*.7kCMdé",
        // 81 and 82 are 10 components; an average of 83⁴ − 1; a wave of 83² − 1.
        "}0H{G=", "~0H{G=", "00~~~~", "10H{G=~~",
        "試しLEHV6nWB2yk8pyo0adR*.7kCM", "\0\0\0\0\0\0", String(repeating: "~", count: 166),
        String(repeating: "0", count: 1_000_000),
    ])
    func `parsing an invalid text returns nil`(text: String) {
        #expect(BlurHash(text) == nil)
    }

    @Test func `random texts parse to nil or to drawable hashes`() throws {
        var random = SeededGenerator(seed: 7)
        let digits = Array(
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
        )
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...30, using: &random)
            let text = String((0..<count).map { _ in digits[Int.random(in: 0..<83, using: &random)] })
            guard let hash = BlurHash(text) else { continue }
            _ = try hash.image(size: PixelSize(width: 3, height: 2), punch: 10)
        }
        for shape in 0..<81 {
            let waves = ((shape % 9 + 1) * (shape / 9 + 1) - 1) * 2
            let text = "\(digits[shape])~0000" + String(repeating: "0", count: waves)
            let hash = try #require(BlurHash(text))
            _ = try hash.image(size: PixelSize(width: 3, height: 2), punch: 10)
        }
    }
}
