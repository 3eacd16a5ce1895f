import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@Suite(.blocking) struct PaletteTests {
    private let red: [UInt8] = [200, 10, 20]
    private let green: [UInt8] = [0, 180, 30]
    private let blue: [UInt8] = [5, 25, 220]

    /// Columns of one colour each, with the given widths.
    private func columns(_ parts: [([UInt8], Int)], height: Int = 1) -> Image {
        let row = parts.flatMap { Array(repeating: $0.0, count: $0.1) }
        let all = Array(repeatElement(row, count: height).joined())
        let image = Image.row(of: all)
        return Image(
            size: PixelSize(width: row.count, height: height),
            pixelFormat: image.pixelFormat,
            pixels: image.pixels
        )
    }

    private func color(_ channels: [UInt8]) -> RGBColor {
        RGBColor(red: channels[0], green: channels[1], blue: channels[2])
    }

    @Test func `few colours are returned exactly, the most frequent first`() throws {
        let palette = try columns([(blue, 30), (red, 60), (green, 10)], height: 20).palette()
        #expect(
            palette == [
                PaletteColor(color: color(red), share: 0.6),
                PaletteColor(color: color(blue), share: 0.3),
                PaletteColor(color: color(green), share: 0.1),
            ]
        )
    }

    @Test func `a large image has the colours and shares of a small one`() throws {
        let palette = try columns([(blue, 300), (red, 600), (green, 100)], height: 700).palette(
            maxColorCount: 3
        )
        #expect(palette.count == 3)
        for (found, expected) in zip(palette, [(red, 0.6), (blue, 0.3), (green, 0.1)]) {
            #expect(abs(found.share - expected.1) < 0.02)
            for (channel, value) in zip([found.color.red, found.color.green, found.color.blue], expected.0) {
                #expect(abs(Int(channel) - Int(value)) <= 8)
            }
        }
    }

    @Test(arguments: [1, 2, 6, 17, 256], PixelFormat.eightBitFormats)
    func `the palette has at most the requested colours, and their shares sum to 1`(
        count: Int,
        format: PixelFormat
    ) throws {
        let image = TestImages.photograph(PixelSize(width: 200, height: 150), format: format)
        let palette = try image.palette(maxColorCount: count)
        #expect(1...count ~= palette.count)
        #expect(abs(palette.reduce(0) { $0 + $1.share } - 1) < 1e-9)
        #expect(palette.allSatisfy { $0.share > 0 })
        #expect(palette.map(\.share) == palette.map(\.share).sorted(by: >))
        #expect(Set(palette.map(\.color)).count == palette.count)
        #expect(try image.palette(maxColorCount: count) == palette)
    }

    @Test func `the default palette has six colours`() throws {
        let image = TestImages.photograph(PixelSize(width: 100, height: 100))
        #expect(try image.palette() == image.palette(maxColorCount: 6))
    }

    @Test func `the palette of a gray image is gray`() throws {
        let palette = try TestImages.photograph(PixelSize(width: 64, height: 64), format: .gray8).palette()
        #expect(palette.allSatisfy { $0.color.red == $0.color.green && $0.color.green == $0.color.blue })
    }

    @Test func `pixels are weighted by alpha, and transparent ones are ignored`() throws {
        let image = columns([(red + [255], 10), (green + [128], 10), (blue + [0], 70), (blue + [20], 10)])
        let palette = try image.palette()
        #expect(palette.map(\.color) == [color(red), color(green)])
        #expect(palette.map { ($0.share * 6).rounded() } == [4, 2])
    }

    @Test func `the dominant colour is the most frequent visible one`() throws {
        #expect(try columns([(blue, 40), (red, 60)]).dominantColor() == color(red))
        #expect(try columns([(blue + [255], 40), (red + [0], 60)]).dominantColor() == color(blue))
    }

    @Test func `colours of equal shares have a fixed order`() throws {
        let palette = try columns([(blue, 5), (red, 5)]).palette()
        #expect(palette.map(\.color) == [color(red), color(blue)])
        #expect(try columns([(red, 5), (blue, 5)]).palette() == palette)
    }

    @Test func `a transparent image has no palette`() throws {
        let nothing = columns([(red + [0], 300)], height: 200)
        #expect(try nothing.palette() == [])
        #expect(try nothing.dominantColor() == nil)
    }

    @Test func `one pixel has a palette`() throws {
        #expect(try columns([(red, 1)]).palette() == [PaletteColor(color: color(red), share: 1)])
        #expect(
            try columns([(red, 1)], height: 20_000).palette() == [PaletteColor(color: color(red), share: 1)]
        )
    }

    @Test(arguments: [0, -1, 257, .max, .min])
    func `an invalid colour count is refused`(count: Int) throws {
        let error = #expect(throws: TransformError.self) {
            try columns([(red, 1)]).palette(maxColorCount: count)
        }
        #expect(error?.code == .invalidParameter)
    }
}
