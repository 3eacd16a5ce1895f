import Calotype
import CalotypeSandbox
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing
import WorkerSupport

/// Colours of results: those of the original where the format holds them, or sRGB on request.
@Suite(.blocking) struct WideGamutServiceTests {
    private static let wide = DecodeOptions(keepsWideGamut: true)

    /// A picture with saturated red above and green below, in Display P3.
    private static func original(_ format: ImageFormat = .jpeg) throws -> Data {
        let size = PixelSize(width: 120, height: 90)
        let pixels = unsafe PixelBuffer(byteCount: size.pixelCount * 3) { target in
            for index in target.indices {
                let channel = index < target.count / 2 ? 0 : 1
                unsafe target[index] = index % 3 == channel ? 255 : 0
            }
        }
        let image = Image(
            size: size,
            pixelFormat: .rgb8,
            pixels: pixels,
            metadata: ImageMetadata(colorSpace: .displayP3)
        )
        let encoder = try #require(CodecRegistry.standard.encoder(for: format))
        return try encoder.adjusted(by: EncodeAdjustment(quality: 98)).encode(image)
    }

    private static func service(
        _ original: Data,
        codecs: CodecRegistry = .publicWeb,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) throws -> ImageService {
        let bench = try ServiceBench { request, _ in
            .network(request.url, original, ["Cache-Control": "max-age=600"])
        }
        return bench.service(codecs: codecs, configure)
    }

    private static func body(_ service: ImageService, _ target: String) async throws -> Data {
        let answer = try await service.response(to: ServiceRequest(target: "/unsafe/\(target)"))
        #expect(answer.status == 200, "\(target)")
        return answer.body
    }

    /// The upper left and the lower right pixel, in the colours of the file.
    private static func colors(_ body: Data, _ options: DecodeOptions) throws -> ([Int], [Int], ColorSpace) {
        let image = try CodecRegistry.standard.decode(body, options: options)
        let bytes = image.rgba8()
        return (bytes.prefix(3).map(Int.init), bytes.suffix(4).prefix(3).map(Int.init), image.colorSpace)
    }

    private static func isNear(_ left: [Int], _ right: [Int], _ tolerance: Int = 12) -> Bool {
        zip(left, right).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test(arguments: ["jpg", "png", "webp", "avif"])
    func `Display P3 is kept by default, and converted by scp`(format: String) async throws {
        let service = try Self.service(try Self.original())
        let tail = "w:60/\(examplePath)@\(format)"
        let kept = try Self.colors(try await Self.body(service, tail), Self.wide)
        #expect(kept.2 == .displayP3)
        #expect(Self.isNear(kept.0, [255, 0, 0]) && Self.isNear(kept.1, [0, 255, 0]), "\(kept)")
        let body = try await Self.body(service, "scp:1/\(tail)")
        #expect(body.range(of: Data("acsp".utf8)) == nil && body.range(of: Data("iCCP".utf8)) == nil)
        let converted = try Self.colors(body, Self.wide)
        // Clipped to sRGB: the same pixels, whether a profile is read or not.
        #expect(converted.2 == .sRGB && Self.isNear(converted.1, [0, 255, 0]), "\(converted)")
    }

    @Test(arguments: [ImageFormat.png, .webP, .avif, .jpeg])
    func `the formats of originals give the same colours`(format: ImageFormat) async throws {
        let service = try Self.service(try Self.original(format))
        let colors = try Self.colors(try await Self.body(service, "w:40/\(examplePath)@png"), Self.wide)
        #expect(colors.2 == .displayP3 && Self.isNear(colors.0, [255, 0, 0]), "\(format): \(colors)")
    }

    @Test func `a watermark has its colours on an image in Display P3`() async throws {
        let mark = try WatermarkBench.png([40, 90, 200], 20, 10)
        let service = try Self.service(try Self.original(.png)) { $0.watermark = WatermarkImage(data: mark) }
        let body = try await Self.body(service, "wm:1:nowe/\(examplePath)@png")
        let colors = try Self.colors(body, Self.wide)
        #expect(colors.2 == .sRGB && Self.isNear(colors.0, [40, 90, 200], 1), "\(colors)")
    }

    @Test func `a smaller original with a profile does not replace a result in sRGB`() async throws {
        let file = try Self.original()
        let service = try Self.service(file) { $0.encodings.keepsSmallerOriginals = true }
        let body = try await Self.body(service, "q:100/scp:1/\(examplePath)@jpg")
        #expect(body.range(of: Data("acsp".utf8)) == nil)
        let kept = try await Self.body(service, "q:100/\(examplePath)@jpg")
        #expect(kept == (try CodecRegistry.standard.strippingMetadata(from: file)))
    }

    @Test func `GIF gets sRGB, and so does what mixes other colours in`() async throws {
        let service = try Self.service(try Self.original())
        for target in ["w:40/\(examplePath)@gif", "w:40/scp:1/\(examplePath)@png"] {
            let colors = try Self.colors(try await Self.body(service, target), Self.wide)
            #expect(colors.2 == .sRGB, "\(target)")
        }
    }

    @Test func `a background has its colour of sRGB around pixels of Display P3`() async throws {
        let service = try Self.service(try Self.original())
        let body = try await Self.body(service, "w:40/pd:10/bg:ff0000/\(examplePath)@png")
        let kept = try Self.colors(body, Self.wide)
        #expect(kept.2 == .displayP3 && Self.isNear(kept.0, [234, 51, 35], 2), "\(kept)")
        let shown = try Self.colors(body, DecodeOptions())
        #expect(Self.isNear(shown.0, [255, 0, 0], 3), "\(shown)")
    }

    @Test func `both results have keys, and the setting decides without an option`() async throws {
        let service = try Self.service(try Self.original()) { $0.encodings.stripsColorProfile = true }
        let tail = "w:40/\(examplePath)@png"
        let standard = try await Self.body(service, tail)
        let kept = try await Self.body(service, "scp:0/\(tail)")
        #expect(try Self.colors(standard, Self.wide).2 == .sRGB)
        #expect(try Self.colors(kept, Self.wide).2 == .displayP3)
        #expect(try await Self.body(service, "scp:1/\(tail)") == standard)
    }

    @Test(.enabled(Workers.advice, Workers.isAvailable), arguments: ["jpg", "png", "webp", "avif"])
    func `workers give the same bytes`(format: String) async throws {
        let original = try Self.original()
        let there = try Self.service(
            original,
            codecs: try await Workers.started(maxCount: 1).codecs(.standard)
        )
        let here = try Self.service(original, codecs: .standard)
        for options in ["w:30", "w:30/bl:1", "scp:1/w:30", "w:30/pd:2/bg:ff0000"] {
            let target = "\(options)/\(examplePath)@\(format)"
            #expect(try await Self.body(there, target) == Self.body(here, target), "\(target)")
        }
    }
}
