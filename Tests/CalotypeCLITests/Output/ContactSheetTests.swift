import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ContactSheetTests {
    private func image(_ size: PixelSize, _ pixel: [UInt8]) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount * 4) { bytes in
            for index in bytes.indices { unsafe bytes[index] = pixel[index % 4] }
        }
        return Image(size: size, pixelFormat: .rgba8, pixels: pixels)
    }

    @Test func `the sheet has about four columns to three rows, with gaps around`() {
        let small = image(PixelSize(width: 1, height: 1), [0, 0, 0, 255])
        #expect(
            ContactSheet(Array(repeating: small, count: 24)).size
                == PixelSize(width: 6 * 256 + 16, height: 4 * 196 + 16)
        )
        #expect(ContactSheet([small]).size == PixelSize(width: 272, height: 212))
        #expect(!ContactSheet([]).drawn().size.isEmpty)
    }

    @Test func `an image is centred in its cell, over the background where it is transparent`() {
        let size = PixelSize(width: 40, height: 20)
        let sheet = ContactSheet([image(size, [255, 0, 0, 255]), image(size, [255, 255, 255, 0])]).drawn()
        let pixels = sheet.rgba8()
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            Array(pixels[(y * sheet.size.width + x) * 4..<(y * sheet.size.width + x) * 4 + 3])
        }
        let background: [UInt8] = [0xD8, 0xD8, 0xD8]
        #expect(pixel(0, 0) == background)
        #expect(pixel(16 + 100, 16 + 80) == [255, 0, 0])
        #expect(pixel(16 + 139, 16 + 99) == [255, 0, 0])
        #expect(pixel(16 + 99, 16 + 80) == background)
        #expect(pixel(16 + 140, 16 + 80) == background)
        #expect(pixel(16 + 256 + 120, 16 + 90) == background)
    }

    @Test func `a caption is centred below its cell`() {
        let picture = image(PixelSize(width: 240, height: 180), [255, 0, 0, 255])
        let words = image(PixelSize(width: 40, height: 10), [0, 0, 0, 255])
        let sheet = ContactSheet([picture, picture], captions: [words, words])
        #expect(sheet.size == PixelSize(width: 2 * 256 + 16, height: 196 + 16 + 16))
        let pixels = sheet.drawn().rgba8()
        func red(_ x: Int, _ y: Int) -> UInt8 { pixels[(y * sheet.size.width + x) * 4] }
        #expect([red(16, 195), red(16 + 120, 196)] == [255, 0xD8])
        #expect([red(16 + 99, 202), red(16 + 100, 202), red(16 + 139, 211)] == [0xD8, 0, 0])
        #expect(red(16 + 256 + 120, 205) == 0)
    }
}
