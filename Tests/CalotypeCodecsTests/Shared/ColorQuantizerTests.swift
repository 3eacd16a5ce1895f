import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.blocking) struct ColorQuantizerTests {
    static let size = PixelSize(width: 120, height: 90)
    static let photograph = TestImages.photograph(size).thresholdedPixels

    private func error(_ pixels: [UInt32], _ indexed: IndexedPixels) -> Double {
        let sum = zip(pixels, indexed.indexes).reduce(0) { sum, pair in
            sum + distance(pair.0, indexed.palette[Int(pair.1)])
        }
        return Double(sum) / Double(pixels.count)
    }

    private func distance(_ left: UInt32, _ right: UInt32) -> Int {
        [16, 8, 0].map { Int(left >> $0 & 255) - Int(right >> $0 & 255) }.reduce(0) { $0 + $1 * $1 }
    }

    private func near(_ pixels: [UInt32], _ count: Int, dithers: Bool = false) -> IndexedPixels {
        IndexedPixels(nearly: pixels, width: Self.size.width, maxColorCount: count, dithers: dithers)
    }

    // MARK: - Tables

    @Test func `colours are counted up to a bound`() throws {
        let pixels: [UInt32] = [0xFF00_0001, 0, 0xFF00_0002, 0xFF00_0001, 0xFF00_0001]
        let table = try #require(ColorTable(pixels, maxCount: 2))
        #expect(table.colors == [0xFF00_0001, 0xFF00_0002] && table.counts == [3, 1])
        #expect(table.position(of: 0xFF00_0002) == 1 && table.position(of: 0xFF00_0003) == nil)
        #expect(ColorTable(pixels, maxCount: 1) == nil)
    }

    @Test func `few colours are preserved exactly`() throws {
        for count in [1, 2, 255, 256] {
            let pixels = (0..<1000).map { (index: Int) -> UInt32 in
                0xFF00_0000 | UInt32(index % count * 60_001)
            }
            let indexed = try #require(IndexedPixels(exactly: pixels, maxColorCount: 256))
            #expect(indexed.palette.count == count && indexed.transparentIndex == nil)
            #expect(indexed.indexes.map { indexed.palette[Int($0)] } == pixels)
        }
        let many = (0..<257).map { 0xFF00_0000 | UInt32($0 * 1000) }
        #expect(IndexedPixels(exactly: many, maxColorCount: 256) == nil)
    }

    @Test func `transparency uses one palette entry`() throws {
        let pixels = [0] + (0..<256).map { 0xFF00_0000 | UInt32($0) }
        #expect(IndexedPixels(exactly: pixels, maxColorCount: 256) == nil)
        let fewer = try #require(IndexedPixels(exactly: Array(pixels.dropLast()), maxColorCount: 256))
        #expect(fewer.transparentIndex == 255 && fewer.palette.count == 256 && fewer.indexes[0] == 255)
        for dithers in [false, true] {
            let near = IndexedPixels(nearly: pixels, width: 257, maxColorCount: 16, dithers: dithers)
            #expect(near.palette.count <= 16)
            #expect(pixels.indices.filter { Int(near.indexes[$0]) == near.transparentIndex } == [0])
        }
        let nothing = IndexedPixels(nearly: [0, 0], width: 2, maxColorCount: 2, dithers: true)
        #expect(Int(nothing.indexes[1]) == nothing.transparentIndex)
    }

    // MARK: - Choice

    @Test(arguments: [2, 3, 16, 255, 256])
    func `the palette has at most the allowed colours`(count: Int) {
        for dithers in [false, true] {
            let indexed = near(Self.photograph, count, dithers: dithers)
            #expect(indexed.palette.count <= count)
            #expect(indexed.indexes.allSatisfy { Int($0) < indexed.palette.count })
        }
    }

    @Test func `more colours reduce the error`() {
        let errors = [4, 16, 64, 256].map { error(Self.photograph, near(Self.photograph, $0)) }
        #expect(errors[0] > errors[1] && errors[1] > errors[2] && errors[2] > errors[3])
        #expect(errors[3] < 12, "\(errors)")
    }

    @Test func `the chosen colours are much better than uniform ones`() {
        let steps: [UInt32] = [0, 51, 102, 153, 204, 255]
        var cube: [UInt32] = []
        for red in steps {
            for green in steps {
                for blue in steps { cube.append(0xFF00_0000 | red << 16 | green << 8 | blue) }
            }
        }
        var nearest = NearestColor(cube)
        let indexes = Self.photograph.map { UInt8(nearest.position(of: $0)) }
        let equalSteps = error(Self.photograph, IndexedPixels(palette: cube, indexes: indexes))
        #expect(error(Self.photograph, near(Self.photograph, 216)) < equalSteps / 10)
    }

    @Test func `similar colours use the whole palette`() {
        let pixels = (0..<600).map { (index: UInt32) -> UInt32 in
            0xFF50_0000 + index / 100 * 256 + index % 100
        }
        let indexed = IndexedPixels(nearly: pixels, width: 600, maxColorCount: 256, dithers: false)
        #expect(indexed.palette.count > 240)
        #expect(error(pixels, indexed) < 1)
    }

    @Test func `more colours than are counted individually are approximated`() {
        var random = SeededGenerator(seed: 2)
        let pixels = (0..<60_000).map { _ in 0xFF00_0000 | UInt32.random(in: 0...0xFF_FFFF, using: &random) }
        let indexed = IndexedPixels(nearly: pixels, width: 300, maxColorCount: 256, dithers: false)
        #expect(indexed.palette.count == 256)
        // A cube of 256³ levels in 256 equal cells has a mean error of 3 × (256 / 6.35)² / 12 = 406.
        #expect(error(pixels, indexed) < 440)
    }

    @Test func `the nearest colour is found`() {
        var random = SeededGenerator(seed: 4)
        for count in [1, 2, 30, 256] {
            let palette = (0..<count).map { _ in
                0xFF00_0000 | UInt32.random(in: 0...0xFF_FFFF, using: &random)
            }
            var nearest = NearestColor(palette)
            for _ in 0..<500 {
                let color = 0xFF00_0000 | UInt32.random(in: 0...0xFF_FFFF, using: &random)
                let least = palette.map { distance($0, color) }.min()
                #expect(distance(palette[nearest.position(of: color)], color) == least)
                #expect(distance(palette[nearest.position(of: color)], color) == least)
            }
        }
    }

    // MARK: - Dithering

    @Test func `dithering preserves the mean of a flat area`() {
        let gray = [UInt32](repeating: 0xFF40_4040, count: 64 * 64)
        var pixels = gray
        // Black and white are the two chosen colours.
        pixels += [UInt32](repeating: 0xFF00_0000, count: 64 * 200)
        pixels += [UInt32](repeating: 0xFFFF_FFFF, count: 64 * 200)
        pixels.append(contentsOf: [UInt32](repeating: 0xFF01_0101, count: 64))
        let indexed = IndexedPixels(nearly: pixels, width: 64, maxColorCount: 2, dithers: true)
        let values = indexed.indexes.prefix(gray.count).map { Int(indexed.palette[Int($0)] & 255) }
        #expect(abs(values.reduce(0, +) / gray.count - 0x40) <= 3)
        #expect(Set(values).count == 2)
    }

    @Test func `equal pixels give equal indexes`() {
        let (first, second) = (
            near(Self.photograph, 40, dithers: true), near(Self.photograph, 40, dithers: true)
        )
        #expect(first.indexes == second.indexes && first.palette == second.palette)
    }
}
