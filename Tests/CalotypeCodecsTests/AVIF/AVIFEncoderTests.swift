import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct AVIFEncoderTests {
    static let size = PixelSize(width: 61, height: 47)

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossless file round-trips exactly at any size`(format: PixelFormat) throws {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 16), (61, 47)] {
            let image = TestImages.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decode(AVIFEncoder(isLossless: true, speed: 9).tested.encode(image))
            #expect(back.size == image.size)
            #expect(back.pixelFormat == format || image.isOpaque)
            #expect(back.rgba8() == image.rgba8(), "\(width)×\(height)")
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossy file is near the pixels at any size`(format: PixelFormat) throws {
        for (width, height) in [(33, 1), (2, 33), (61, 47)] {
            let image = TestImages.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decode(AVIFEncoder(quality: 85).tested.encode(image))
            #expect(back.pixelFormat == format && back.size == image.size)
            // In one row of pixels halved chroma averages unlike neighbours.
            let mean = back.difference(to: image).mean
            #expect(mean < (min(width, height) < 3 ? 16 : 6), "\(width)×\(height)")
        }
    }

    @Test func `less chroma gives smaller files, and automatic is halved below quality 90`() throws {
        let image = TestImages.photograph(Self.size)
        let files = try [AVIFEncoder.ChromaSubsampling.yuv444, .yuv422, .yuv420].map {
            try AVIFEncoder(speed: 9, chromaSubsampling: $0).tested.encode(image)
        }
        #expect(files[0].count > files[1].count && files[1].count > files[2].count)
        #expect(try AVIFEncoder(speed: 9).tested.encode(image) == files[2])
        let fine = try AVIFEncoder(quality: 90, speed: 9).tested.encode(image)
        #expect(
            fine == (try AVIFEncoder(quality: 90, speed: 9, chromaSubsampling: .yuv444).tested.encode(image))
        )
    }
}
