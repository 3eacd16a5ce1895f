import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeTesting
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

/// Extreme but valid responses of workers, which the bounds must accept.
@Suite(.alone, .blocking, .enabled(Workers.advice, Workers.isAvailable)) struct WorkerAnswerTests {
    private static func image(of word: String) async throws -> Image {
        try await Workers.shared.run { try $0.decode(Data("HOSTILE later \(word)".utf8)) }
    }

    @Test func `a colour profile that is too long is omitted`() async throws {
        let image = try await Self.image(of: "profile")
        #expect(image.colorSpace == .sRGB && image.size == PixelSize(width: 4, height: 4))
    }

    @Test func `any finite scale above 0 is accepted`() async throws {
        #expect(try await Self.image(of: "small").scale == .leastNonzeroMagnitude)
        #expect(try await Self.image(of: "large").scale == .greatestFiniteMagnitude)
    }

    @Test(arguments: [0, -1, Double.nan, .infinity])
    func `an image with an invalid scale is encoded`(scale: Double) async throws {
        let picture = TestImages.photograph(PixelSize(width: 9, height: 7), format: .rgb8)
        let image = Image(size: picture.size, pixelFormat: .rgb8, pixels: picture.pixels, scale: scale)
        let data = try await Workers.shared.run { try $0.encode(image, as: .png) }
        #expect(try data == PNGEncoder().encode(image))
    }

    @Test func `frame durations that are too long are clamped to the maximum`() async throws {
        let animation = try #require(try await Self.image(of: "ages").animation)
        #expect(animation.frameCount == 3 && animation.duration == .seconds(3 * Int(UInt32.max)))
    }

    @Test func `files of one column are accepted with any padding of their rows`() async throws {
        let size = PixelSize(width: 1, height: 600_000)
        for format in [PixelFormat.gray8, .rgb8, .rgba8] {
            var generator = SystemRandomNumberGenerator()
            let pixels = try PixelBuffer(byteCount: size.pixelCount * format.bytesPerPixel) {
                bytes throws(DecodeError) in
                for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
            }
            let image = Image(size: size, pixelFormat: format, pixels: pixels)
            for encoder in [BMPEncoder(), PNGEncoder(), TIFFEncoder()] as [any ImageEncoder] {
                let data = try await Workers.shared.run { try $0.placed(encoder).encode(image) }
                #expect(try data == encoder.encode(image), "\(encoder.format) \(format)")
            }
        }
    }
}
