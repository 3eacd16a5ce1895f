import CalotypeCore
import TestSupport
import Testing

@Suite(.blocking) struct PixelBufferTests {
    struct Refusal: Error, Equatable {
        let number: Int
    }

    @Test func `the bytes written by the closure are read back`() {
        let buffer = PixelBuffer(byteCount: 5) { $0.copyBytes(from: [1, 2, 3, 4, 5]) }
        #expect(buffer.withUnsafeBytes { [UInt8]($0) } == [1, 2, 3, 4, 5])
    }

    @Test func `a throwing closure frees the memory once`() {
        for number in 0..<50 {
            #expect(throws: Refusal(number: number)) {
                _ = try PixelBuffer(byteCount: 1000) { _ in throw Refusal(number: number) }
            }
        }
    }

    // No machine has that much address space.
    @Test func `a failed allocation throws the error type of the closure`() {
        let byteCount = 1 << 60
        #expect(throws: DecodeError.outOfMemory(byteCount: byteCount)) {
            _ = try PixelBuffer(byteCount: byteCount) { _ throws(DecodeError) in }
        }
        #expect(throws: DecodeError.outOfMemory(byteCount: byteCount)) {
            _ = try PixelBuffer(byteCount: byteCount) { _ throws(any Error) in }
        }
        #expect(DecodeError.outOfMemory(byteCount: byteCount).code == .outOfMemory)
    }

    @Test(arguments: [0, 1, 63, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (6 << 20) + 12_345])
    func `every byte of a buffer of any size can be written and read`(byteCount: Int) {
        let buffer = PixelBuffer(byteCount: byteCount) { bytes in
            for index in stride(from: 0, to: bytes.count, by: 997) {
                bytes[index] = UInt8(truncatingIfNeeded: index)
            }
            if byteCount > 0 { bytes[byteCount - 1] = 77 }
        }
        buffer.withUnsafeBytes { bytes in
            #expect(bytes.count == byteCount)
            #expect(bytes.last == (byteCount > 0 ? 77 : nil))
            let isKept = stride(from: 0, to: max(0, bytes.count - 1), by: 997).allSatisfy {
                bytes[$0] == UInt8(truncatingIfNeeded: $0)
            }
            #expect(isKept)
        }
    }

    @Test func `an image is opaque unless a pixel is translucent`() {
        func image(_ bytes: [UInt8], _ format: PixelFormat) -> Image {
            let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
            return Image(size: PixelSize(width: 2, height: 1), pixelFormat: format, pixels: pixels)
        }
        #expect(image([0, 0], .gray8).isOpaque)
        #expect(image([0, 0, 0, 0, 0, 0], .rgb8).isOpaque)
        #expect(image([0, 0, 0, 255, 9, 9, 9, 255], .rgba8).isOpaque)
        #expect(!image([0, 0, 0, 255, 9, 9, 9, 254], .rgba8).isOpaque)
    }
}
