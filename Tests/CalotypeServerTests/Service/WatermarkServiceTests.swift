import Calotype
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// Watermarks in responses of a complete service.
@Suite(.blocking) struct WatermarkServiceTests {
    private static let address = WatermarkBench.address

    private static func configured(_ configuration: inout ImageService.Configuration) throws {
        configuration.watermark = try WatermarkImage(source: "http://src.test/wm.png")
    }

    @Test(arguments: [
        ("wm:1", [50, 40, 20, 10]), ("wm:1:soea", [100, 80, 20, 10]), ("wm:1:nowe:5:7", [5, 7, 20, 10]),
        ("wm:1:nowe:-15:-8", [0, 0, 5, 2]), ("wm:1:so:0:0:0.5", [30, 60, 60, 30]),
        ("w:60/wm:1:soea:5:5", [35, 30, 20, 10]), ("pd:10/wm:1:nowe", [0, 0, 20, 10]),
        ("wms:10:10/wm:1:nowe", [0, 0, 10, 5]), ("wm_rot:90/wm:1:nowe", [0, 0, 10, 20]),
        ("wm:1:re", [0, 0, 120, 90]), ("rot:90/wm:1:noea", [70, 0, 20, 10]),
    ])
    func `the configured watermark is drawn last, at its position`(options: String, box: [Int]) async throws {
        let bench = try WatermarkBench(Self.configure)
        let response = try await bench.response(options)
        #expect(response.status == 200)
        #expect(try ResponsePixels(response).box(of: WatermarkBench.red) == box)
    }

    private static func configure(_ configuration: inout ImageService.Configuration) {
        do { try configured(&configuration) } catch { Issue.record(error) }
    }

    @Test func `gaps of a repeated watermark show the image`() async throws {
        let pixels = try ResponsePixels(try await WatermarkBench(Self.configure).response("wm:1:re:10:10"))
        // A period of 30×20 pixels around the middle, with gaps of 5 on each side of a tile.
        #expect(pixels[60, 45] == WatermarkBench.red && pixels[51, 41] == WatermarkBench.red)
        #expect(pixels[60, 38] == WatermarkBench.blue && pixels[47, 45] == WatermarkBench.blue)
        #expect(pixels[60 - 30, 45] == WatermarkBench.red && pixels[60, 45 - 20] == WatermarkBench.red)
    }

    @Test func `opacities are multiplied`() async throws {
        let bench = try WatermarkBench {
            Self.configure(&$0)
            $0.watermarkOpacity = 0.5
        }
        for (options, expected) in [("wm:1", [128, 0, 128]), ("wm:0.5", [64, 0, 191])] {
            let pixels = try ResponsePixels(try await bench.response(options))
            #expect(pixels[60, 45] == expected.map(UInt8.init), "\(options)")
        }
        let thumbor = try ResponsePixels(
            try await bench.thumbor("watermark(src.test/wm.png,center,center,75)")
        )
        #expect(thumbor[60, 45] == [64, 0, 191], "thumbor's transparency has no factor")
    }

    @Test func `a watermark by URL is fetched once for all results, and hits fetch nothing`() async throws {
        let bench = try WatermarkBench()
        let options = "wmu:\(Self.address)/wm:1:nowe"
        let first = try await bench.response(options)
        #expect(first.status == 200 && first["X-Cache"] == "miss")
        #expect(try ResponsePixels(first).box(of: WatermarkBench.red) == [0, 0, 20, 10])
        let second = try await bench.response(options)
        #expect(second["X-Cache"] == "memory" && second.body == first.body)
        let other = try await bench.thumbor("watermark(src.test/wm.png,-10,-10p,0)")
        #expect(try ResponsePixels(other).box(of: WatermarkBench.red) == [90, 71, 20, 10])
        #expect(bench.markCount == 1)
        let tags = Set([first, other].compactMap { $0["ETag"] })
        #expect(tags.count == 2)
    }

    @Test func `simultaneous requests share the load of a watermark`() async throws {
        let gate = AsyncGate()
        let bench = try WatermarkBench(answer: { _, data in
            await gate.wait()
            return data
        })
        let tasks = (0..<8).map { number in
            Task { try await bench.response("wmu:\(Self.address)/wm:1/w:\(50 + number)") }
        }
        while bench.markCount == 0 { await Task.yield() }
        gate.open()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(bench.markCount == 1)
    }

    @Test func `results follow a changed watermark as soon as it is no longer fresh`() async throws {
        let bench = try WatermarkBench(headers: ["Cache-Control": "max-age=60"], Self.configure)
        let red = try await bench.response("wm:1")
        bench.change(to: try WatermarkBench.png(WatermarkBench.green, 20, 10))
        #expect(try await bench.response("wm:1").body == red.body)
        bench.bench.time.advance(by: .seconds(61))
        let green = try await bench.response("wm:1")
        #expect(try ResponsePixels(green).box(of: WatermarkBench.green) == [50, 40, 20, 10])
        #expect(green["X-Cache"] == "miss" && green["ETag"] != red["ETag"])
        #expect(bench.bench.loader.requests.count { $0.url.path() == "/photo.jpg" } == 1)
        #expect(try await bench.response("wm:1")["X-Cache"] == "memory")
    }

    @Test func `a configured file is read again when it has changed`() async throws {
        let folder = try ScratchFolder()
        let url = URL(filePath: folder.path).appending(path: "wm.png")
        try WatermarkBench.png(WatermarkBench.red, 20, 10).write(to: url)
        let bench = try WatermarkBench { $0.watermark = WatermarkImage(file: url) }
        let red = try ResponsePixels(try await bench.response("wm:1:nowe"))
        #expect(red.box(of: WatermarkBench.red) == [0, 0, 20, 10])
        try WatermarkBench.png(WatermarkBench.green, 30, 12).write(to: url)
        let green = try ResponsePixels(try await bench.response("wm:1:nowe"))
        #expect(green.box(of: WatermarkBench.green) == [0, 0, 30, 12] && bench.markCount == 0)
        try FileManager.default.removeItem(at: url)
        #expect(try await bench.response("wm:1:nowe").status == 422)
    }

    @Test func `configured bytes are a watermark`() async throws {
        let data = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let bench = try WatermarkBench { $0.watermark = WatermarkImage(data: data) }
        let pixels = try ResponsePixels(try await bench.response("wm:1"))
        #expect(pixels.box(of: WatermarkBench.red) == [50, 40, 20, 10] && bench.markCount == 0)
    }

    @Test func `without a configured watermark the option is an error that names it`() async throws {
        let bench = try WatermarkBench()
        let response = try await bench.response("wm:1")
        #expect(response.status == 422)
        #expect(String(decoding: response.body, as: UTF8.self).contains("watermark"))
        #expect(bench.bench.loader.requests.isEmpty)
        #expect(try await bench.response("wm:0").status == 200)
    }

    @Test(arguments: ["raw:1/wm:1", "skp:png/wm:1"])
    func `an original that is passed through has no watermark`(options: String) async throws {
        let bench = try WatermarkBench(Self.configure)
        let response = try await bench.response(options)
        #expect(response.status == 200 && bench.markCount == 0)
        #expect(try ResponsePixels(response).box(of: WatermarkBench.red) == nil)
    }

    @Test func `a watermark is drawn on each frame of an animation`() async throws {
        let frames = FakeFrameSource(
            frameCount: 3,
            size: PixelSize(width: 60, height: 40),
            firstValue: 10,
            valueStep: 40
        )
        let animation = Animation(source: frames)
        let picture = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let gif = try GIFEncoder().encode(picture)
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let bench = try ServiceBench { request, _ in .network(request.url, gif) }
        let service = bench.service { $0.watermark = WatermarkImage(data: mark) }
        let target = "/unsafe/wm:1:soea:0:0:0.5/\(examplePath)@gif"
        let response = try await service.response(to: ServiceRequest(target: target))
        let result = try #require(try CodecRegistry.publicWeb.decode(response.body).animation)
        #expect(result.frameCount == 3)
        for index in 0..<3 {
            let pixels = ResponsePixels(try result.decodeFrame(at: index))
            #expect(pixels.box(of: WatermarkBench.red) == [30, 25, 30, 15], "\(index)")
            #expect(pixels[0, 0] == [UInt8](repeating: UInt8(10 + 40 * index), count: 3), "\(index)")
        }
    }

    @Test func `a result is cached no longer than its watermark may be`() async throws {
        let unstored = try WatermarkBench(headers: ["Cache-Control": "no-store"], Self.configure)
        let response = try await unstored.response("wm:1")
        #expect(response.status == 200 && response["Cache-Control"] == "no-store")
        #expect(try await unstored.response("w:9")["Cache-Control"] != "no-store")
        let short = try WatermarkBench(headers: ["Cache-Control": "max-age=60"]) {
            Self.configure(&$0)
            $0.caching.followsOrigin = true
        }
        #expect(try await short.response("wm:1")["Cache-Control"]?.contains("max-age=60") == true)
        #expect(try await short.response("w:9")["Cache-Control"]?.contains("max-age=100000") == true)
    }

    @Test func `an image that fails is replaced by the fallback with its watermark`() async throws {
        let fallback = try WatermarkBench.png(WatermarkBench.green, 60, 40)
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let bench = try ServiceBench { request, _ in
            if request.url.scheme == "data" { return try await DataURLLoader().response(for: request) }
            throw FetchError(.unacceptableStatus, status: 404, detail: "")
        }
        let service = bench.service {
            $0.watermark = WatermarkImage(data: mark)
            $0.fallback = FallbackImage(data: fallback)
        }
        let request = ServiceRequest(target: "/unsafe/wm:1:nowe/\(examplePath)@png")
        let response = try await service.response(to: request)
        #expect(response.status == 200)
        #expect(try ResponsePixels(response).box(of: WatermarkBench.red) == [0, 0, 20, 10])
    }
}
