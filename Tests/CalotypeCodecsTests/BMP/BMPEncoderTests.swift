import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BMPEncoderTests {
    private func code(_ encoder: BMPEncoder, _ image: Image) -> EncodeError.Code? {
        do throws(EncodeError) {
            _ = try encoder.encode(image)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: PixelFormat.ofEightBits, [1, 2, 3, 4, 31, 100])
    func `a BMP round-trips exactly`(format: PixelFormat, width: Int) throws {
        let image = TestPictures.asymmetric(PixelSize(width: width, height: 7), format: format)
        let back = try BMPDecoder().tested.decode(BMPEncoder().tested.encode(image), options: DecodeOptions())
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
    }

    @Test func `alpha is retained if all of it is zero`() throws {
        let clear = TestPictures.disc(PixelSize(width: 1, height: 1), color: .black)
        let back = try BMPDecoder().tested.decode(BMPEncoder().tested.encode(clear), options: DecodeOptions())
        #expect(back.bytes == clear.bytes)
    }

    @Test func `the header states the byte count of the file`() throws {
        for format in PixelFormat.ofEightBits {
            let data = try BMPEncoder().tested.encode(
                TestPictures.asymmetric(PixelSize(width: 5, height: 3), format: format)
            )
            #expect(data.dropFirst(2).prefix(4) == littleEndian(data.count))
            let head = [PixelFormat.gray8: 1078, .rgb8: 54, .rgba8: 122][format] ?? 0
            #expect(data.dropFirst(10).prefix(4) == littleEndian(head))
        }
    }

    @Test func `the byte limit is enforced exactly`() throws {
        let image = TestPictures.photograph(PixelSize(width: 30, height: 20))
        let count = try BMPEncoder().tested.encode(image).count
        #expect(code(BMPEncoder(options: EncodeOptions(byteCountMax: count)), image) == nil)
        #expect(code(BMPEncoder(options: EncodeOptions(byteCountMax: count - 1)), image) == .limitExceeded)
    }

    @Test func `a box limits the size of the result`() throws {
        let image = TestPictures.photograph(PixelSize(width: 30, height: 20))
        let data = try BMPEncoder(options: EncodeOptions(sizeMax: PixelBox(width: 15))).tested.encode(image)
        #expect(
            try BMPDecoder().tested.info(of: data, limits: DecodeLimits()).size
                == PixelSize(width: 15, height: 10)
        )
    }

    @Test func `each property changes the identity`() {
        let encoders = CacheIdentityTests.options.map { BMPEncoder(options: $0) }
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(BMPEncoder().cacheIdentity == "bmp1(bytes=-,box=-,background=ffffff,frames=all)")
    }
}
