import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct RequestHeaderTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    private func request(_ bench: PipelineBench, _ name: String, _ value: String) -> ImageRequest {
        bench.request {
            $0.httpCaching = .respectsHTTP
            $0.headers = [HeaderField(name, value)]
        }
    }

    @Test func `Cache-Control in a request does not change its key`() async throws {
        let bench = PipelineBench { request, number in
            let fields = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            return .network(request.url, Self.picture, status: number == 0 ? 200 : 304, fields)
        }
        let plain = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.load(plain)
        let cached = request(bench, "Cache-Control", "only-if-cached")
        #expect(try await bench.pipeline.load(cached).source == .memory)
        #expect(try await bench.pipeline.load(request(bench, "Cache-Control", "no-cache")).source == .disk)
        #expect(bench.sent("If-None-Match") == [nil, "\"1\""])
        #expect(bench.store.keys.count == 1)
    }

    @Test func `an only-if-cached request for an uncached image is not sent`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.picture) }
        let request = request(bench, "cache-control", "only-if-cached")
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(bench.loader.requests.isEmpty)
    }

    @Test(arguments: ["If-None-Match", "if-modified-since", "If-Match"])
    func `a conditional field is rejected with an error that names it`(name: String) async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.picture) }
        let request = request(bench, name, "x")
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect((error?.underlying as? FetchError)?.code == .invalidRequest)
        #expect(error.map { "\($0)".contains(name.lowercased()) } == true)
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `time in a queue does not count towards the age of a response`() async throws {
        let time = ManualTimeSource()
        let slow = PipelineBench({ $0.timeSource = time }) { request, _ in
            time.advance(by: .seconds(100))
            var response = FetchResponse.network(request.url, Self.picture, ["Cache-Control": "max-age=60"])
            response.responseTime = .seconds(1)
            return response
        }
        for _ in 1...2 { _ = try await slow.pipeline.load(slow.request { $0.httpCaching = .respectsHTTP }) }
        #expect(slow.loader.requests.count == 1)
    }

    @Test func `shared work does not inherit task locals of the task that started it`() async throws {
        let bench = PipelineBench { request, _ in
            #expect(User.name == nil)
            return .network(request.url, Self.picture)
        }
        try await User.$name.withValue("alice") { _ = try await bench.pipeline.load(bench.request()) }
    }

    private enum User {
        @TaskLocal static var name: String?
    }
}
