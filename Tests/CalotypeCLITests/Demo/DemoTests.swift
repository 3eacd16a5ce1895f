import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct DemoPictureTests {
    @Test func `the demo has 24 images of up to 12 million pixels, each with its own path`() {
        #expect(DemoPicture.all.count == 24)
        #expect(DemoPicture.all.map(\.size.pixelCount).max() == 12_000_000)
        #expect(Set(DemoPicture.all.map(\.path)).count == 24)
        #expect(Set(DemoPicture.all.map(\.format)) == [.jpeg, .png])
    }

    @Test(arguments: [DemoPicture.Kind.photograph, .poster, .sticker])
    func `an image is equal in every run, and differs with another seed`(kind: DemoPicture.Kind) throws {
        let size = PixelSize(width: 96, height: 64)
        let picture = DemoPicture(kind: kind, size: size, seed: 7)
        let data = try picture.encoded()
        #expect(try picture.encoded() == data)
        #expect(try DemoPicture(kind: kind, size: size, seed: 8).encoded() != data)
        let image = try CodecRegistry.standard.decode(data)
        #expect(image.size == size)
        #expect(image.format == picture.format)
    }

    @Test func `a sticker has transparent corners and an opaque middle`() {
        let size = PixelSize(width: 100, height: 80)
        let image = Poster(size: size, seed: 1, isTranslucent: true).image()
        let alpha = stride(from: 3, to: size.pixelCount * 4, by: 4).map { image.rgba8()[$0] }
        #expect(alpha[0] == 0)
        #expect(alpha[20 * 100 + 50] == 255)
    }

    @Test func `a photograph has varied pixels`() {
        let image = Landscape(size: PixelSize(width: 64, height: 64), seed: 3).image()
        #expect(Set(image.rgba8()).count > 64)
    }

    @Test func `images are encoded in order`() async throws {
        let pictures = (1...5).map {
            DemoPicture(kind: .poster, size: PixelSize(width: 8, height: $0), seed: 1)
        }
        let heights = try await DemoPicture.encode(pictures).map {
            try CodecRegistry.standard.info(of: $0).size.height
        }
        #expect(heights == [1, 2, 3, 4, 5])
    }
}

@Suite(.gated) struct DemoPassTests {
    private func loaded(_ source: LoadedImage.Source) -> LoadedImage {
        let pixels = PixelBuffer(byteCount: 1) { unsafe $0[0] = 0 }
        let metadata = ImageMetadata(encodedByteCount: 10)
        let size = PixelSize(width: 1, height: 1)
        return LoadedImage(
            image: Image(size: size, pixelFormat: .gray8, pixels: pixels, metadata: metadata),
            source: source
        )
    }

    @Test(arguments: [([], 0), ([5], 5), ([9, 1, 5], 5), ([1, 2, 4, 100], 3)])
    func `the median is the middle value`(milliseconds: [Int], median: Int) {
        var pass = DemoPass(expectedSource: .disk)
        for number in milliseconds { pass.add(loaded(.disk), elapsed: .milliseconds(number)) }
        #expect(pass.median == .milliseconds(median))
    }

    @Test func `only results from the expected source count as hits`() {
        var pass = DemoPass(expectedSource: .disk)
        pass.add(loaded(.disk), elapsed: .milliseconds(1))
        pass.add(loaded(.network), elapsed: .milliseconds(2))
        #expect(
            pass.record.json
                == #"{"source":"disk","pictures":2,"hits":1,"medianMs":1.500,"totalMs":3.000,"bytes":20}"#
        )
    }
}
