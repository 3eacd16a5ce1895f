import CalotypeCore
import TestSupport
import Testing

@Suite(.blocking) struct PixelLayoutTests {
    private func image(_ bytes: [UInt8], _ format: PixelFormat, width: Int, height: Int = 1) -> Image {
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: PixelSize(width: width, height: height), pixelFormat: format, pixels: pixels)
    }

    private func copy(_ image: Image, _ layout: PixelLayout, stride: Int? = nil, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 9, count: count)
        bytes.withUnsafeMutableBytes {
            image.copyPixels(to: $0, as: layout, stride: stride ?? image.size.width * 4)
        }
        return bytes
    }

    @Test func `each layout has its channel order and colours`() {
        let translucent = image([200, 100, 50, 128], .rgba8, width: 1)
        #expect(copy(translucent, .rgba, count: 4) == [200, 100, 50, 128])
        #expect(copy(translucent, .bgra, count: 4) == [50, 100, 200, 128])
        #expect(copy(translucent, .premultipliedRGBA, count: 4) == [100, 50, 25, 128])
        #expect(copy(translucent, .premultipliedBGRA, count: 4) == [25, 50, 100, 128])
        #expect(copy(translucent, .premultipliedARGB, count: 4) == [128, 100, 50, 25])
    }

    @Test func `gray and RGB become opaque`() {
        #expect(copy(image([7, 8], .gray8, width: 2), .bgra, count: 8) == [7, 7, 7, 255, 8, 8, 8, 255])
        #expect(copy(image([1, 2, 3], .rgb8, width: 1), .premultipliedBGRA, count: 4) == [3, 2, 1, 255])
    }

    @Test func `bytes between the rows are not written`() {
        let column = image([1, 2], .gray8, width: 1, height: 2)
        #expect(copy(column, .rgba, stride: 6, count: 12) == [1, 1, 1, 255, 9, 9, 2, 2, 2, 255, 9, 9])
        #expect(copy(column, .rgba, stride: 6, count: 10) == [1, 1, 1, 255, 9, 9, 2, 2, 2, 255])
    }

    @Test func `premultiplied colours are rounded and never above alpha`() {
        for alpha in UInt8.min...UInt8.max {
            let pixel = copy(image([255, 128, 1, alpha], .rgba8, width: 1), .premultipliedRGBA, count: 4)
            #expect(pixel[0] == alpha)
            #expect(pixel[1] == UInt8((Double(alpha) * 128 / 255).rounded()))
            #expect(pixel.allSatisfy { $0 <= alpha })
        }
    }
}
