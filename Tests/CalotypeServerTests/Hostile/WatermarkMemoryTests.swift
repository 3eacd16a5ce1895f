import Calotype
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeServer

/// The pixels of watermarks, which a few kilobytes describe.
@Suite(.blocking) struct WatermarkMemoryTests {
    /// A service whose watermarks have 2,000×2,000 pixels; photos whose name begins with `hang` wait.
    private static func service(
        _ codecs: CodecRegistry,
        work: Int = 4,
        hanging gate: AsyncGate = AsyncGate()
    ) throws -> (ImageService, ServiceBench) {
        let photo = try WatermarkBench.png(WatermarkBench.blue, 120, 90)
        let bench = try ServiceBench { request, _ in
            let path = request.url.path()
            if path.hasPrefix("/hang") { await gate.wait() }
            // Each watermark has bytes of its own.
            let mark = FakeImageDecoder.data(width: 2_000, height: 2_000, suffix: path)
            let data = path.hasPrefix("/wm") ? mark : photo
            return .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        return (bench.service(work: work, waiting: 100, maxByteCount: 32 << 20, codecs: codecs), bench)
    }

    private static func request(_ number: Int, _ photo: String) -> ServiceRequest {
        let address = Data("http://src.test/wm\(number).png".utf8).base64EncodedString()
            .filter { $0 != "=" }
        return ServiceRequest(target: "/unsafe/wmu:\(address)/wm:1/plain/http://src.test/\(photo)@png")
    }

    @Test func `no watermark is decoded while its original hangs`() async throws {
        let (decoder, gate) = (FakeImageDecoder(), AsyncGate())
        var codecs = CodecRegistry.publicWeb
        codecs.register(decoder)
        let (service, bench) = try Self.service(codecs, hanging: gate)
        let clients = (0..<16).map { number in
            Task { try await service.response(to: Self.request(number, "hang\(number).jpg")).status }
        }
        while bench.loader.requests.count(where: { $0.url.path().hasPrefix("/hang") }) < 16 {
            await Task.yield()
        }
        #expect(decoder.decodeCount == 0)
        gate.open()
        for client in clients { #expect(try await client.value == 200) }
        #expect(decoder.decodeCount == 16)
    }

    @Test func `the pixels of a watermark count in the budget of its result`() async throws {
        let decoder = GatedDecoder()
        var codecs = CodecRegistry.publicWeb
        codecs.register(decoder)
        let (service, _) = try Self.service(codecs)
        let client = Task { try await service.response(to: Self.request(0, "photo.jpg")).status }
        await decoder.reached.wait()
        #expect(service.pipeline.workload.heldByteCount >= 16_000_000)
        decoder.released.open()
        #expect(try await client.value == 200)
        #expect(service.pipeline.workload.heldByteCount == 0)
    }

    @Test func `a watermark that left memory while its original was awaited is loaded again`() async throws {
        let gate = AsyncGate()
        var codecs = CodecRegistry.publicWeb
        codecs.register(FakeImageDecoder())
        let (service, bench) = try Self.service(codecs, hanging: gate)
        let client = Task { try await service.response(to: Self.request(0, "hang.jpg")).status }
        while bench.loader.requests.count < 2 { await Task.yield() }
        service.watermarks.pixels.encoded.removeAll()
        gate.open()
        #expect(try await client.value == 200)
        // Its bytes were cached.
        #expect(bench.loader.requests.count == 2)
    }
}
