import Calotype
import CalotypeCodecs
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// The setting `light`, by the pixels of results.
@Suite(.blocking) struct ResamplingLightTests {
    private static let picture = TestImages.photograph(PixelSize(width: 120, height: 90))

    private static func original(_ format: ImageFormat) throws -> Data {
        format == .png ? try PNGEncoder().encode(picture) : try JPEGEncoder(quality: 95).encode(picture)
    }

    /// The pixels of a PNG of the original, 80 pixels wide, which is decoded whole.
    private static func result(
        _ original: Data,
        _ target: String,
        light: ResamplingLight
    ) async throws -> (pixels: [UInt8], tag: String?) {
        let bench = try ServiceBench { request, _ in
            .network(request.url, original, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service { $0.light = light }
        let answer = try await service.response(to: ServiceRequest(target: target))
        #expect(answer.status == 200, "\(target)")
        let image = try CodecRegistry.publicWeb.decode(answer.body)
        #expect(image.size == PixelSize(width: 80, height: 60))
        return ([UInt8](image.rgba8()), answer["ETag"])
    }

    @Test(
        arguments: [
            (ImageFormat.jpeg, ResamplingLight.automatic, ResamplingLight.linear),
            (.jpeg, .linear, .linear), (.jpeg, .encoded, .encoded), (.png, .automatic, .encoded),
            (.png, .linear, .linear), (.png, .encoded, .encoded),
        ],
        [
            "/unsafe/w:80/\(examplePath)@png", "/unsafe/c:120:90/w:80/\(examplePath)@png",
            "/thumbor/unsafe/80x0/filters:format(png)/src.test/photo.jpg",
        ]
    )
    func `resizes mix what the setting says`(
        mixed: (format: ImageFormat, setting: ResamplingLight, expected: ResamplingLight),
        target: String
    ) async throws {
        let original = try Self.original(mixed.format)
        let result = try await Self.result(original, target, light: mixed.setting)
        let whole = try CodecRegistry.publicWeb.decode(original)
        let size = PixelSize(width: 80, height: 60)
        for light in [ResamplingLight.linear, .encoded] {
            let expected = [UInt8](try Resampler.resize(whole, to: size, light: light).rgba8())
            #expect((result.pixels == expected) == (light == mixed.expected), "\(light)")
        }
    }

    @Test func `the setting changes the entity tag`() async throws {
        let original = try Self.original(.jpeg)
        let target = "/unsafe/w:80/\(examplePath)@png"
        var tags: [String?] = []
        for light in [ResamplingLight.linear, .encoded] {
            tags.append(try await Self.result(original, target, light: light).tag)
        }
        #expect(tags[0] != nil && tags[0] != tags[1])
    }
}
