import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing

/// The cost of an image in a memory cache, beside its pixels.
@Suite(.gated) struct ImageCostTests {
    private static func pixel(_ metadata: ImageMetadata) -> Image {
        Image(
            size: PixelSize(width: 1, height: 1),
            pixelFormat: .rgb8,
            pixels: PixelBuffer(byteCount: 3) { $0.copyBytes(from: [1, 2, 3]) },
            metadata: metadata
        )
    }

    // A PNG of 20 kB may hold a profile of 16 MB.
    @Test func `the cost of an image includes its colour profile`() {
        let image = Self.pixel(ImageMetadata(colorSpace: .icc(Data(count: 1 << 20))))
        #expect(image.cost >= 1 << 20)
    }

    @Test func `the cost of an image includes the texts of its metadata`() {
        let text = String(repeating: "x", count: Copyright.maxByteCount)
        var exif = Exif()
        exif.software = String(repeating: "x", count: Exif.maxTextByteCount)
        let image = Self.pixel(
            ImageMetadata(copyright: Copyright(artist: text, notice: text), exif: exif)
        )
        #expect(image.cost >= 2 * Copyright.maxByteCount + Exif.maxTextByteCount)
    }
}
