import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@Suite(.blocking) struct ImageColorTests {
    @Test func `the colour of a pixel includes its alpha in each pixel format`() {
        let size = PixelSize(width: 7, height: 5)
        for format in PixelFormat.eightBitFormats {
            let image = TestImages.asymmetric(size, format: format)
            for y in 0..<5 {
                for x in 0..<7 {
                    let color = image.color(atX: x, y: y)
                    #expect(color.map { [$0.red, $0.green, $0.blue, $0.alpha] } == image.pixel(x, y))
                }
            }
        }
    }

    @Test(arguments: [(-1, 0), (0, -1), (7, 0), (0, 5), (.max, .max), (.min, .min), (0, .max), (.max, 0)])
    func `the colour outside of the image is nil`(point: (Int, Int)) {
        let image = TestImages.asymmetric(PixelSize(width: 7, height: 5))
        #expect(image.color(atX: point.0, y: point.1) == nil)
    }

    @Test func `the average weights colours by their alpha`() throws {
        let image = Image.row(of: [[200, 0, 0, 255], [0, 100, 0, 85], [9, 9, 9, 0], [255, 255, 255, 0]])
        // 200 × 255 ÷ 340, 100 × 85 ÷ 340, and 340 ÷ 4 of alpha.
        #expect(try image.averageColor() == RGBAColor(red: 150, green: 25, blue: 0, alpha: 85))
    }

    @Test func `the average of an opaque image is the mean`() throws {
        let colors = Image.row(of: [[0, 10, 255], [1, 20, 0], [0, 30, 0], [0, 41, 1]])
        #expect(try colors.averageColor() == RGBAColor(red: 0, green: 25, blue: 64))
        let gray = Image.row(of: [[1], [2], [6]])
        #expect(try gray.averageColor() == RGBAColor(red: 3, green: 3, blue: 3))
    }

    @Test func `the average of many pixels is exact`() throws {
        let image = TestImages.photograph(PixelSize(width: 333, height: 211))
        let average = try image.averageColor()
        let bytes = [UInt8](image.rgba8())
        let means = (0..<3).map { channel in
            stride(from: channel, to: bytes.count, by: 4).reduce(0.0) { $0 + Double(bytes[$1]) }
                / Double(image.size.pixelCount)
        }
        for (channel, mean) in zip([average.red, average.green, average.blue], means) {
            #expect(abs(Double(channel) - mean) <= 0.501)
        }
    }

    @Test func `the average of a transparent image is clear`() throws {
        #expect(try Image.row(of: [[255, 255, 255, 0], [1, 2, 3, 0]]).averageColor() == .clear)
    }
}
