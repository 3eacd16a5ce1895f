import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import Foundation
import TestSupport
import Testing

@Suite(.blocking) struct ThumbHashTests {
    private struct Vector: Sendable {
        let text: String
        let size: PixelSize
        let hasAlpha: Bool
        let averageColor: RGBAColor
        /// At the corners and in the middle.
        let colors: [[Int]]
    }

    // Published hashes, drawn by fast-thumbhash 1.0.0, which wraps the reference implementation in Rust.
    private static let vectors = [
        Vector(
            text: "1QcSHQRnh493V4dIh4eXh1h4kJUI",
            size: PixelSize(width: 23, height: 32),
            hasAlpha: false,
            averageColor: RGBAColor(red: 86, green: 82, blue: 88),
            colors: [
                [64, 77, 113, 255], [84, 109, 139, 255], [140, 109, 88, 255], [0, 12, 42, 255],
                [0, 4, 39, 255],
            ]
        ),
        Vector(
            text: "X5qGNQw7oElslqhGWfSE+Q6oJ1h2iHB2Rw==",
            size: PixelSize(width: 32, height: 32),
            hasAlpha: true,
            averageColor: RGBAColor(red: 190, green: 113, blue: 74, alpha: 187),
            colors: [
                [219, 65, 45, 0], [179, 155, 22, 0], [107, 102, 97, 255], [255, 21, 9, 0], [255, 121, 0, 0],
            ]
        ),
        Vector(
            text: "VvYRNQRod313B4h3eHhYiHeAiQUo",
            size: PixelSize(width: 23, height: 32),
            hasAlpha: false,
            averageColor: RGBAColor(red: 69, green: 74, blue: 124),
            colors: [
                [0, 15, 99, 255], [0, 26, 107, 255], [156, 137, 204, 255], [9, 14, 4, 255], [23, 28, 1, 255],
            ]
        ),
        Vector(
            text: "rsYJLJZ4d4iAeIiAh5togIk3+A==",
            size: PixelSize(width: 32, height: 18),
            hasAlpha: false,
            averageColor: RGBAColor(red: 157, green: 186, blue: 216),
            colors: [
                [132, 110, 209, 255], [83, 90, 188, 255], [144, 255, 246, 255], [233, 92, 157, 255],
                [237, 96, 161, 255],
            ]
        ),
    ]

    @Test(arguments: vectors)
    private func `a published hash is drawn as by the reference implementation`(vector: Vector) throws {
        let hash = try #require(ThumbHash(vector.text))
        #expect(hash.text == vector.text)
        #expect(hash.averageColor == vector.averageColor)
        let image = hash.image()
        #expect(image.size == vector.size)
        #expect(image.pixelFormat == (vector.hasAlpha ? .rgba8 : .rgb8))
        let (right, bottom) = (image.size.width - 1, image.size.height - 1)
        let middle = (image.size.width / 2, image.size.height / 2)
        let places = [(0, 0), (right, 0), middle, (0, bottom), (right, bottom)]
        for (place, color) in zip(places, vector.colors) {
            // The reference rounds down.
            let pixel = image.pixel(place.0, place.1).map(Int.init)
            #expect(zip(pixel, color).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel) is \(color)")
        }
    }

    // From fast-thumbhash 1.0.0.
    @Test(arguments: [
        (48, 36, false, "4ucFdZZgeYZzlneHeFeIh1B0B/h4"), (30, 36, false, "X5YFZhighieWh3h4eJWHh3d4oFM393g="),
        (50, 12, false, "X4YKgpZAioWEeWeIMIMGuYc="),
        (48, 36, true, "4NaFRI4oQHlDloZYCENkYZ/5h8d3d3d4Bw=="),
        (30, 36, true, "3pWFRBAakBaVZ3iVBilkY4/4h+d3d3d4Bw=="),
        (36, 36, true, "n6aFVQ4agGdDiIZXaIBENvaJf3h9d3eHdw=="),
    ])
    func `a hash matches the reference implementation`(
        width: Int,
        height: Int,
        hasAlpha: Bool,
        text: String
    ) throws {
        let image = RuledPictures.gradient(width: width, height: height, hasAlpha: hasAlpha)
        #expect(try ThumbHash(encoding: image).text == text)
    }

    @Test func `a hash round-trips through bytes and text, and equal bytes give equal hashes`() throws {
        let hash = try ThumbHash(encoding: RuledPictures.gradient(width: 48, height: 36))
        #expect(ThumbHash(hash.bytes) == hash)
        #expect(ThumbHash(hash.text)?.hashValue == hash.hashValue)
        #expect(ThumbHash(hash.text)?.description == hash.text)
        #expect(ThumbHash("1QcSHQRnh493V4dIh4eXh1h4kJUI") != hash)
        // The slice does not start at index 0.
        #expect(ThumbHash((Data([1, 2, 3]) + hash.bytes).dropFirst(3)) == hash)
    }

    @Test func `the aspect ratio is that of the image, in steps`() throws {
        for (width, height, ratio) in [(70, 70, 1), (70, 30, 7 / 3.0), (30, 70, 3 / 7.0), (700, 1, 7)] {
            let image = TestImages.photograph(PixelSize(width: width, height: height))
            #expect(try ThumbHash(encoding: image).aspectRatio == ratio)
        }
    }

    @Test func `a drawn hash is nearer to its image than its average colour`() throws {
        let image = RuledPictures.gradient(width: 32, height: 32)
        let hash = try ThumbHash(encoding: image)
        let plain = RuledPictures.solid(hash.averageColor, width: 32, height: 32)
        let distance = hash.image().difference(from: image).mean
        #expect(distance < plain.difference(from: image).mean * 0.6)
    }

    @Test func `transparent pixels add no colour`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        let hash = try ThumbHash(encoding: disc)
        #expect(hash.averageColor.red >= 253)
        #expect(max(hash.averageColor.green, hash.averageColor.blue) <= 4)
        let image = hash.image()
        #expect(image.pixel(0, 0)[3] == 0)
        #expect(image.pixel(16, 16)[3] >= 250)
        let nothing = try ThumbHash(encoding: RuledPictures.solid(.clear, width: 4, height: 4))
        #expect(nothing.averageColor.alpha == 0)
    }

    @Test func `images of every format and of one pixel have hashes`() throws {
        for format in PixelFormat.eightBitFormats {
            for size in [PixelSize(width: 1, height: 1), PixelSize(width: 20_000, height: 1)] {
                let hash = try ThumbHash(encoding: TestImages.asymmetric(size, format: format))
                #expect(ThumbHash(hash.bytes) == hash)
                #expect(!hash.image().size.isEmpty)
            }
        }
    }

    @Test(arguments: [
        "", "=", "1QcSHQRnh493V4dIh4eXh1h4kJU", "1QcSHQRnh493V4dIh4eXh1h4kA==",
        "1QcSHQRnh493V4dIh4eXh1h4kJUIAAAA", "not a hash", "試し", "\0",
        String(repeating: "A", count: 1_000_000),
    ])
    func `parsing an invalid text returns nil`(text: String) {
        #expect(ThumbHash(text) == nil)
    }

    @Test func `a hash without an aspect ratio is nil`() throws {
        var bytes = try #require(ThumbHash("1QcSHQRnh493V4dIh4eXh1h4kJUI")).bytes
        bytes[3] &= ~7
        #expect(ThumbHash(bytes) == nil)
    }

    @Test func `a truncated or overlong hash is nil`() throws {
        for vector in Self.vectors {
            let bytes = try #require(ThumbHash(vector.text)).bytes
            for count in 0..<bytes.count { #expect(ThumbHash(bytes.prefix(count)) == nil) }
            #expect(ThumbHash(bytes + [0]) == nil)
        }
    }

    @Test func `random bytes parse to nil or to drawable hashes`() {
        var random = SeededGenerator(seed: 7)
        var drawn = 0
        for _ in 0..<1_500 {
            let count = Int.random(in: 15...27, using: &random)
            let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            guard let hash = ThumbHash(bytes) else { continue }
            #expect(max(hash.image().size.width, hash.image().size.height) == 32)
            drawn += 1
        }
        #expect(drawn > 10)
    }
}
