import Calotype
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// Watermarks that are bombs, broken, forbidden or slow.
@Suite(.blocking) struct WatermarkHostileTests {
    private static let byURL = "wmu:\(WatermarkBench.address)/wm:1"

    @Test func `a watermark outside of the allowed sources is refused before loading`() async throws {
        let bench = try WatermarkBench { $0.sources = Self.policy(["src.test/photo.jpg"]) }
        #expect(try await bench.response(Self.byURL).status == 403)
        #expect(try await bench.thumbor("watermark(src.test/wm.png,0,0,0)").status == 403)
        #expect(try await bench.thumbor("watermark(http://127.0.0.1/a,0,0,0)").status == 403)
        #expect(bench.bench.loader.requests.isEmpty)
        #expect(try await bench.response("w:9").status == 200)
        // Files need a folder.
        let open = try WatermarkBench()
        #expect(try await open.thumbor("watermark(local:///etc/passwd,0,0,0)").status == 403)
        #expect(open.bench.loader.requests.isEmpty)
    }

    private static func policy(_ texts: [String]) -> SourcePolicy {
        do { return try SourcePolicy(texts) } catch {
            Issue.record(error)
            return SourcePolicy(patterns: [])
        }
    }

    enum Failure: String, CaseIterable {
        case missing, refused, page, empty, truncated, hugeHeader, tooManyPixels, drawing, failing, slow

        func data(_ mark: Data) throws -> Data {
            switch self {
            case .missing: throw FetchError(.unacceptableStatus, status: 404, detail: "secret")
            case .refused: throw FetchError(.addressRefused, detail: "secret")
            case .page: return Data("<html>secret</html>".utf8)
            case .empty: return Data()
            case .truncated: return mark.prefix(mark.count / 2)
            case .hugeHeader: return Self.header(100_000)
            case .tooManyPixels: return Self.header(4_000)
            case .drawing: return Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
            case .failing: throw FetchError(.unacceptableStatus, status: 500, detail: "secret")
            case .slow: throw FetchError(.timedOut, detail: "secret")
            }
        }

        var status: Int {
            switch self {
            case .failing: 502
            case .slow: 504
            default: 422
            }
        }

        var isRemembered: Bool {
            [.missing, .page, .truncated, .hugeHeader, .tooManyPixels].contains(self)
        }

        /// The beginning of a square PNG.
        private static func header(_ side: UInt32) -> Data {
            let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
            let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
            return Data(head + size + size + [8, 2, 0, 0, 0, 0, 0, 0, 0])
        }
    }

    @Test(arguments: Failure.allCases)
    func `a watermark that cannot be used is an error of its own, which is remembered`(
        failure: Failure
    ) async throws {
        let data = try WatermarkBench.png(WatermarkBench.green, 9, 9)
        let bench = try WatermarkBench {
            $0.fallback = FallbackImage(data: data)
        } answer: { _, mark in
            try failure.data(mark)
        }
        for _ in 0..<2 {
            for response in [
                try await bench.response(Self.byURL),
                try await bench.thumbor("watermark(src.test/wm.png,0,0,0)"),
            ] {
                #expect(response.status == failure.status && response["Cache-Control"] == "no-store")
                let text = String(decoding: response.body, as: UTF8.self)
                #expect(text.contains("watermarkFailed") && !text.contains("secret"), "\(text)")
            }
        }
        if failure.isRemembered { #expect(bench.markCount == 1) }
        #expect(try await bench.response("w:9").status == 200)
    }

    @Test(arguments: [
        "wm:1:re", "wm:1:re:100000:100000/dpr:100", "wm:1:re:1e-300:0.9", "wm:1:ce:100000:100000/dpr:100",
        "wm:1:soea:-100000:-100000/dpr:100", "wm:1:ce:0:0:100", "wm:1:ce:0:0:1e-300", "wm:1:re:0:0:100",
        "wms:100000:100000/wm:1", "wms:100000/wm:1:re", "wm_rot:45/wm:1:re", "wm_rot:-3599.9/wm:1",
        "w:1/h:1/rs:force/wm:1:re:0:0:1e-300", "el:1/w:1500/wm:1:re", "pd:500/wm:1:re:1:1",
    ])
    func `extreme sizes, offsets and gaps give an image or a client error`(options: String) async throws {
        for side in [(1, 1), (1_000, 1)] {
            let mark = try WatermarkBench.png(WatermarkBench.red, side.0, side.1)
            let bench = try WatermarkBench { $0.watermark = WatermarkImage(data: mark) }
            let status = try await bench.response(options).status
            #expect([200, 422].contains(status), "\(options): \(status)")
            #expect(try await bench.response("w:9").status == 200)
        }
    }

    @Test(arguments: [
        "100000p,-100000p,0", "repeat,repeat,0", "repeat,-100000,100", "0,0,0,10000,10000",
        "center,repeat,0,0.001", "-0p,0p,0,none,10000",
    ])
    func `extreme arguments of thumbor's filter give an image or a client error`(
        arguments: String
    ) async throws {
        for side in [(1, 1), (1, 1_000)] {
            let mark = try WatermarkBench.png(WatermarkBench.red, side.0, side.1)
            let bench = try WatermarkBench(answer: { _, _ in mark })
            let status = try await bench.thumbor("watermark(src.test/wm.png,\(arguments))").status
            #expect([200, 422].contains(status), "\(arguments): \(status)")
        }
    }

    @Test func `a hanging watermark holds no permit that other results need`() async throws {
        let gate = AsyncGate()
        let bench = try WatermarkBench(
            work: 1,
            answer: { url, data in
                if url.path().hasPrefix("/hang") { await gate.wait() }
                return data
            }
        )
        let hanging = (0..<32).map { number in
            Task { try await bench.thumbor("watermark(hang.test/hang\(number).png,0,0,0)") }
        }
        while bench.markCount < 32 { await Task.yield() }
        // No result has begun, so the photo has not been requested either.
        #expect(bench.bench.loader.requests.count == 32)
        #expect(try await bench.response("w:30").status == 200)
        #expect(try await bench.response("\(Self.byURL)/w:40").status == 200)
        gate.open()
        for task in hanging { #expect(try await task.value.status == 200) }
    }

    @Test func `the first frame of an animated watermark is drawn`() async throws {
        let frames = FakeFrameSource(
            frameCount: 200,
            size: PixelSize(width: 8, height: 8),
            firstValue: 40
        )
        let animation = Animation(source: frames)
        let picture = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let gif = try GIFEncoder().encode(picture)
        let bench = try WatermarkBench { $0.watermark = WatermarkImage(data: gif) }
        let pixels = try ResponsePixels(try await bench.response("wm:1:nowe"))
        #expect(pixels.box(of: [40, 40, 40]) == [0, 0, 8, 8])
    }

    @Test func `a fifth watermark is refused`() async throws {
        let bench = try WatermarkBench()
        let filters = (0..<5).map { "watermark(src.test/\($0).png,\($0),0,0)" }
        #expect(try await bench.thumbor(filters.joined(separator: ":")).status == 414)
        #expect(bench.bench.loader.requests.isEmpty)
        #expect(try await bench.thumbor(filters.dropLast().joined(separator: ":")).status == 200)
        #expect(bench.markCount == 4)
    }

    @Test func `a hit decodes no watermark, however large it is`() async throws {
        let decoder = FakeImageDecoder()
        var codecs = CodecRegistry.publicWeb
        codecs.register(decoder)
        let photo = try WatermarkBench.png(WatermarkBench.blue, 120, 90)
        // Turned, it has more bytes than the table of watermarks.
        let mark = FakeImageDecoder.data(width: 3_500, height: 2_800)
        let bench = try ServiceBench { request, _ in
            let data = request.url.path() == "/photo.jpg" ? photo : mark
            return .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service(codecs: codecs)
        let options = "wm:1:ce:0:0:0.5/wm_rot:45/wmu:\(WatermarkBench.address)"
        let request = ServiceRequest(target: "/unsafe/\(options)/\(examplePath)@png")
        #expect(try await service.response(to: request).status == 200)
        let count = decoder.decodeCount
        for _ in 0..<2 {
            let hit = try await service.response(to: request)
            #expect(hit.status == 200 && hit["X-Cache"] == "memory")
        }
        #expect(decoder.decodeCount == count)
    }
}
