import Calotype
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

/// Uploads that wait for the budget of bytes.
@Suite(.waiting) struct UploadBudgetTests {
    private static let key = SigningKey(key: Array("secret".utf8), salt: Array("hello".utf8))
    private static let grammar = ImgproxyGrammar(signature: ImgproxySignature(keys: [key]))
    private static let kibibyte = 1 << 10

    /// Returns a service with 6 MiB for bodies, 3 MiB of them for uploads.
    private static func service(_ loader: any DataLoader, timeout: Duration) -> ImageService {
        let cache = ImageCache(
            memory: ImageCache.Memory(pressureSource: nil),
            stores: [FakeByteStore()],
            codecs: .publicWeb
        )
        var pipeline = ImagePipeline.Configuration(cache: cache, loader: loader)
        pipeline.maxByteCountInFlight = 8 << 20
        var configuration = ImageService.Configuration.patient
        configuration.imgproxy = grammar
        configuration.uploads = UploadSettings()
        configuration.uploads?.timeout = timeout
        return ImageService(pipeline: ImageService.pipeline(pipeline), configuration: configuration)
    }

    private static func upload(_ service: ImageService, _ options: String = "/w:30") throws -> Upload {
        var request = ServiceRequest(target: try grammar.signed("\(options)/plain/-@png"))
        request.method = "POST"
        return try service.upload(request, authorization: nil, byteCount: nil)
    }

    /// Sends a body in chunks, and returns the status of the response.
    private static func post(_ service: ImageService, _ upload: Upload, _ body: Data) async throws -> Int {
        do {
            var rest = body
            while !rest.isEmpty {
                try await upload.receive(rest.prefix(64 * kibibyte))
                rest = rest.dropFirst(64 * kibibyte)
            }
            return try await service.response(to: upload).status
        } catch let error as CancellationError {
            throw error
        } catch {
            return service.response(toFailure: error, ofUpload: upload.request).status
        }
    }

    @Test func `an upload that cannot begin in time fails, and does not wait on`() async throws {
        let loader = ScriptedDataLoader { request, _ in .network(request.url, Data()) }
        let service = Self.service(loader, timeout: .milliseconds(400))
        // Loads of others, and uploads that have a little more than what these leave to uploads.
        let load = try await service.pipeline.receivedBytes(of: "https://a.test:443", within: .seconds(60))
        try await load.grow(to: 3_072 * Self.kibibyte, within: .seconds(60))
        let held = try await service.pipeline.receivedBytes(of: "upload:", within: .seconds(60))
        try await held.grow(to: 1_280 * Self.kibibyte, within: .seconds(60))
        let other = try await service.pipeline.receivedBytes(of: "https://b.test:443", within: .seconds(60))
        try await other.grow(to: 880 * Self.kibibyte, within: .seconds(60))
        // One upload exceeds the budget, and one waits for it.
        let exceeding = try await service.pipeline.receivedBytes(of: "upload:", within: .seconds(60))
        try await exceeding.grow(to: 256 * Self.kibibyte, within: .seconds(60))
        let next = try await service.pipeline.receivedBytes(of: "upload:", within: .seconds(60))
        let waiting = Task { try await next.grow(to: 256 * Self.kibibyte, within: .seconds(600)) }
        while service.pipeline.activity.waitingBodyCount < 1 { await Task.yield() }
        let upload = try Self.upload(service)
        #expect(try await Self.post(service, upload, Data(count: 10)) == 503)
        waiting.cancel()
        _ = await waiting.result
        for bytes in [load, held, other, exceeding, next] { bytes.end() }
    }

    @Test func `uploads that wait for a watermark do not hold the budget of other uploads`() async throws {
        let (mark, gate) = (try WatermarkBench.png(WatermarkBench.red, 20, 10), AsyncGate())
        let loader = ScriptedDataLoader { request, _ in
            await gate.wait()
            return .network(request.url, mark)
        }
        let service = Self.service(loader, timeout: .seconds(4))
        let picture = try WatermarkBench.png(WatermarkBench.blue, 120, 90)
        let options = "/wm:1/wmu:\(WatermarkBench.address)"
        // The first one exceeds the share of uploads, and the second one fills it.
        var (waiting, byteCount): ([Task<Int, any Error>], Int) = ([], 0)
        for count in [3_300 * Self.kibibyte, 2_700 * Self.kibibyte] {
            let upload = try Self.upload(service, options)
            waiting.append(Task { try await Self.post(service, upload, picture + Data(count: count)) })
            byteCount += count
            for _ in 0..<200_000 where service.pipeline.activity.undecodedByteCount < byteCount {
                await Task.yield()
            }
        }
        #expect(try await Self.post(service, try Self.upload(service), picture) == 200)
        gate.open()
        for task in waiting { _ = await task.result }
    }
}
