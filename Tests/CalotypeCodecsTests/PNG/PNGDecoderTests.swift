import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct PNGDecoderTests {
    static let image = TestImages.photograph(PixelSize(width: 30, height: 20))

    private func parts() throws -> PNGParts { PNGParts(try PNGEncoder().tested.encode(Self.image)) }

    private func info(_ parts: PNGParts) throws -> ImageInfo {
        try PNGDecoder().tested.info(of: parts.data, limits: DecodeLimits())
    }

    private func frameControl(_ numerator: Int, _ denominator: Int) -> Data {
        Data(count: 20) + bigEndian16(numerator) + bigEndian16(denominator) + Data(count: 2)
    }

    @Test func `the frame count, loop count and duration of an animation are read`() throws {
        var parts = try parts()
        parts.insert("acTL", bigEndian32(4) + bigEndian32(3), before: "IDAT")
        parts.insert("fcTL", frameControl(1, 4), before: "IDAT")
        // Denominator 0 means 100; delays below 11 ms and of zero become 100 ms.
        for delay in [(7, 0), (1, 100), (0, 1)] {
            parts.insert("fcTL", frameControl(delay.0, delay.1), before: "IEND")
        }
        let info = try info(parts)
        #expect(info.frameCount == 4)
        #expect(info.loopCount == .times(3))
        #expect(info.animationDuration == .milliseconds(250 + 70 + 100 + 100))
    }

    @Test func `the shortest delay that is retained is 11 ms`() throws {
        var parts = try parts()
        parts.insert("acTL", bigEndian32(2) + bigEndian32(0), before: "IDAT")
        parts.insert("fcTL", frameControl(11, 1000), before: "IDAT")
        parts.insert("fcTL", frameControl(10, 1000), before: "IEND")
        #expect(try info(parts).loopCount == .infinite)
        #expect(try info(parts).animationDuration == .milliseconds(111))
    }

    @Test func `an animation control that is late or empty gives a still`() throws {
        for (payload, place) in [
            (bigEndian32(4) + bigEndian32(3), "IEND"), (bigEndian32(0) + bigEndian32(3), "IDAT"),
        ] {
            var parts = try parts()
            parts.insert("acTL", payload, before: place)
            let info = try info(parts)
            #expect(info.frameCount == 1)
            #expect(info.loopCount == nil && info.animationDuration == nil)
        }
    }

    @Test func `an unknown critical chunk is an error, and another is not`() throws {
        var harmless = try parts()
        harmless.insert("caLo", Data([1, 2, 3]), before: "IDAT")
        #expect(
            try PNGDecoder().tested.decode(harmless.data, options: DecodeOptions()).bytes == Self.image.bytes
        )
        var critical = try parts()
        critical.insert("CALo", Data([1, 2, 3]), before: "IDAT")
        #expect(throws: DecodeError.self) {
            try PNGDecoder().tested.decode(critical.data, options: DecodeOptions())
        }
    }

    @Test(arguments: [PixelFormat.rgb8, .gray8, .rgba8])
    func `a gamma without sRGB is applied`(format: PixelFormat) throws {
        let picture = TestImages.photograph(PixelSize(width: 30, height: 20), format: format)
        var parts = PNGParts(try PNGEncoder().tested.encode(picture))
        parts.insert("gAMA", bigEndian32(100_000), before: "IDAT")
        let image = try PNGDecoder().tested.decode(parts.data, options: DecodeOptions())
        let step = format.bytesPerPixel
        for index in picture.bytes.indices where step < 4 || index % 4 < 3 {
            let linear = Double(picture.bytes[index]) / 255
            let level = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
            #expect(abs(Double(image.bytes[index]) - 255 * level) <= 1.5)
        }
        #expect(image.pixelFormat == format && !image.metadata.hasColorProfile)
        try expectEqual(decodePiecewise(parts.data, .random), image)
    }

    @Test(arguments: [("gAMA", 45_455), ("gAMA", 44_000), ("gAMA", 0), ("gAMA", 4_000_000), ("cHRM", 1)])
    func `the gamma of sRGB and an invalid one change no pixel`(type: String, value: Int) throws {
        var parts = try parts()
        let count = type == "cHRM" ? 8 : 1
        parts.insert(
            type,
            (0..<count).reduce(Data()) { data, _ in data + bigEndian32(value) },
            before: "IDAT"
        )
        let image = try PNGDecoder().tested.decode(parts.data, options: DecodeOptions())
        #expect(image.bytes == Self.image.bytes)
    }

    @Test func `a gamma beside sRGB changes no pixel`() throws {
        var parts = try parts()
        parts.insert("gAMA", bigEndian32(100_000), before: "IDAT")
        parts.insert("sRGB", Data([0]), before: "IDAT")
        let image = try PNGDecoder().tested.decode(parts.data, options: DecodeOptions())
        #expect(image.bytes == Self.image.bytes)
    }

    @Test func `the Apple variant is an unsupported feature`() throws {
        var parts = try parts()
        parts.chunks.insert(("CgBI", Data([0x50, 0, 0x20, 2])), at: 0)
        let decode = { try PNGDecoder().tested.decode(parts.data, options: DecodeOptions()) }
        #expect(decodeError { try decode() }?.code == .unsupportedFeature)
        #expect(decodeError { try decodePiecewise(parts.data, .random) }?.code == .unsupportedFeature)
    }

    @Test func `a transparent gray becomes alpha`() throws {
        let gray = TestImages.image(PixelSize(width: 3, height: 1), [10, 20, 30])
        var parts = PNGParts(try PNGEncoder().tested.encode(gray))
        parts.insert("tRNS", bigEndian16(20), before: "IDAT")
        let image = try PNGDecoder().tested.decode(parts.data, options: DecodeOptions())
        #expect(image.pixelFormat == .rgba8)
        #expect(image.bytes == [10, 10, 10, 255, 20, 20, 20, 0, 30, 30, 30, 255])
        #expect(try info(parts).hasAlpha)
    }

    @Test func `a missing end is an error`() throws {
        var parts = try parts()
        parts.chunks.removeLast()
        let error = #expect(throws: DecodeError.self) {
            try PNGDecoder().tested.decode(parts.data, options: DecodeOptions())
        }
        #expect(error?.code == .truncated)
    }
}

extension TestImages {
    /// A gray image of given bytes.
    fileprivate static func image(_ size: PixelSize, _ bytes: [UInt8]) -> Image {
        Image(
            size: size,
            pixelFormat: .gray8,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }
}
