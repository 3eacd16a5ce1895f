import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BMPEncoderTests {
    @Test(arguments: PixelFormat.eightBitFormats, [1, 2, 3, 4, 31, 100])
    func `a BMP round-trips exactly`(format: PixelFormat, width: Int) throws {
        let image = TestImages.asymmetric(PixelSize(width: width, height: 7), format: format)
        let back = try BMPDecoder().tested.decode(BMPEncoder().tested.encode(image), options: DecodeOptions())
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
    }

    @Test func `alpha is retained if all of it is zero`() throws {
        let clear = TestImages.disc(PixelSize(width: 1, height: 1), color: .black)
        let back = try BMPDecoder().tested.decode(BMPEncoder().tested.encode(clear), options: DecodeOptions())
        #expect(back.bytes == clear.bytes)
    }

    @Test func `the header states the byte count of the file`() throws {
        for format in PixelFormat.eightBitFormats {
            let data = try BMPEncoder().tested.encode(
                TestImages.asymmetric(PixelSize(width: 5, height: 3), format: format)
            )
            #expect(data.dropFirst(2).prefix(4) == littleEndian(data.count))
            let head = [PixelFormat.gray8: 1078, .rgb8: 54, .rgba8: 122][format] ?? 0
            #expect(data.dropFirst(10).prefix(4) == littleEndian(head))
        }
    }
}
