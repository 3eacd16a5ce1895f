import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing
import WorkerSupport

/// Gain maps of JPEG in results: transformed with their image, or left out.
@Suite(.blocking) struct GainMapServiceTests {
    private static let kept = DecodeOptions(keepsGainMap: true)

    /// A picture of 120×90 with a map of 60×45, dark at the left and bright at the right.
    private static func original() throws -> Data {
        let size = PixelSize(width: 60, height: 45)
        let pixels = unsafe PixelBuffer(byteCount: size.pixelCount) { target in
            for index in target.indices { unsafe target[index] = index % 60 < 30 ? 20 : 230 }
        }
        let map = GainMap(
            image: Image(size: size, pixelFormat: .gray8, pixels: pixels),
            scale: 0.5,
            parameters: GainMapParameters(values: ["GainMapMax": [2]], standard: [0, 0, 0, 0, 0x40, 1, 2])
        )
        let encoder = JPEGEncoder(quality: 95)
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        return try map.joined(to: try encoder.encode(picture)) { image throws(EncodeError) in
            try encoder.encode(image)
        }
    }

    private static func service(
        codecs: CodecRegistry = .publicWeb,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) throws -> ImageService {
        let original = try original()
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

    @Test func `a smaller original does not replace a result with a map, and a watermark leaves it out`()
        async throws
    {
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let service = try Self.service {
            $0.encodings.keepsSmallerOriginals = true
            $0.watermark = WatermarkImage(data: mark)
        }
        for (options, isKept) in [("q:98", true), ("q:98/wm:1", false)] {
            let body = try await Self.body(service, "\(options)/\(examplePath)@jpg")
            let image = try CodecRegistry.publicWeb.decode(body, options: Self.kept)
            #expect((image.metadata.gainMap != nil) == isKept, "\(options)")
        }
    }

    @Test(arguments: [
        ("w:60", 60, 45, 30, 23, 20, 230), ("rs:fill:40:40", 40, 40, 20, 20, 20, 230),
        ("c:60:90:ea/w:30", 30, 45, 15, 23, 230, 230), ("c:60:90:we", 60, 90, 30, 45, 20, 20),
        ("fl:1/w:60", 60, 45, 30, 23, 230, 20), ("rot:180/w:60", 60, 45, 30, 23, 230, 20),
        ("w:60/bg:ffffff", 60, 45, 30, 23, 20, 230), ("ar:1", 120, 90, 60, 45, 20, 230),
    ])
    func `a map is cropped, resized and mirrored with its image`(
        options: String,
        width: Int,
        height: Int,
        mapWidth: Int,
        mapHeight: Int,
        left: Int,
        right: Int
    ) async throws {
        let body = try await Self.body(try Self.service(), "\(options)/\(examplePath)@jpg")
        let image = try CodecRegistry.publicWeb.decode(body, options: Self.kept)
        let map = try #require(image.metadata.gainMap)
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(map.image.size == PixelSize(width: mapWidth, height: mapHeight))
        let row = map.image.rgba8().prefix(4 * mapWidth)
        let ends = [Int(row[row.startIndex]), Int(row[row.endIndex - 4])]
        #expect(abs(ends[0] - left) <= 30 && abs(ends[1] - right) <= 30, "\(ends)")
        #expect(map.parameters.values == ["GainMapMax": [2]])
        #expect(map.parameters.standard == [0, 0, 0, 0, 0x40, 1, 2])
    }

    @Test(arguments: [
        "w:60/bl:2/\(examplePath)@jpg", "w:60/pd:4/\(examplePath)@jpg", "w:60/\(examplePath)@webp",
        "w:60/\(examplePath)@png", "scp:1/w:60/\(examplePath)@jpg", "mb:5000/w:60/\(examplePath)@jpg",
        "rs:fill:40:40/g:sm/\(examplePath)@jpg", "t:10/\(examplePath)@jpg",
    ])
    func `other results are right without it`(target: String) async throws {
        let body = try await Self.body(try Self.service(), target)
        let image = try CodecRegistry.publicWeb.decode(body, options: Self.kept)
        #expect(image.metadata.gainMap == nil && body.range(of: Data("MPF\0".utf8)) == nil)
    }

    @Test func `the image is the same with and without its map`() async throws {
        let service = try Self.service()
        let kept = try await Self.body(service, "w:60/\(examplePath)@jpg")
        let bare = try await Self.body(service, "scp:1/w:60/\(examplePath)@jpg")
        let images = try [kept, bare].map { try CodecRegistry.publicWeb.decode($0).rgba8() }
        #expect(images[0] == images[1] && kept.count > bare.count)
    }

    @Test(.enabled(Workers.advice, Workers.isAvailable))
    func `workers give the same bytes`() async throws {
        let there = try Self.service(codecs: try await Workers.started(maxCount: 1).codecs(.standard))
        let here = try Self.service(codecs: .standard)
        for options in ["w:30", "c:60:90:ea/rot:90/w:30", "rs:fill:33:20"] {
            let target = "\(options)/\(examplePath)@jpg"
            #expect(try await Self.body(there, target) == Self.body(here, target), "\(target)")
        }
    }
}
