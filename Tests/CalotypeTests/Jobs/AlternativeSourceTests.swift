import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct AlternativeSourceTests {
    // The literals are URLs.
    private static let mirror = URL(string: "https://mirror.example.com/a.fake")!
    private static let sibling = URL(string: "https://example.org/b.fake")!

    @Test func `the next source is loaded after a failure under the key of the first one`() async throws {
        let bench = PipelineBench { request, number in
            if number < 2 { throw FetchError(.connectionFailed, isRetryable: true, detail: "down") }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let request = bench.request { $0.alternatives = [Self.mirror, Self.sibling] }
        let loaded = try await bench.pipeline.load(request)
        #expect((loaded.source, loaded.url) == (.network, Self.sibling))
        #expect(bench.loader.requests.map(\.url) == [PipelineBench.url, Self.mirror, Self.sibling])
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
    }

    @Test func `if all sources fail the error of the first one is thrown`() async throws {
        let bench = PipelineBench { _, number in
            throw FetchError(number == 0 ? .timedOut : .hostNotFound, detail: "\(number)")
        }
        let request = bench.request { $0.alternatives = [Self.mirror] }
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(error.codeLabel == "timedOut")
        #expect(error.address == PipelineBench.url.absoluteString)
        #expect(error.alternativeFailures.map(\.code) == [.hostNotFound], "what the others failed with")
        #expect(error.alternativeFailures.map(\.address) == [Self.mirror.absoluteString])
    }

    @Test func `an alternative on another host receives no header field with secrets`() async throws {
        let bench = PipelineBench { _, _ in throw FetchError(.timedOut, detail: "") }
        let request = bench.request {
            $0.headers = [HeaderField("Authorization", "Bearer a"), HeaderField("Accept", "image/webp")]
            $0.alternatives = [Self.mirror, Self.sibling]
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(bench.sent("Authorization") == ["Bearer a", nil, "Bearer a"])
        #expect(bench.sent("Accept") == Array(repeating: "image/webp", count: 3))
    }

    @Test func `a cancelled load requests no further source`() async throws {
        let (reached, cancelled) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { _, _ in
            await withTaskCancellationHandler {
                reached.open()
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            throw CancellationError()
        }
        let request = bench.request { $0.alternatives = [Self.mirror] }
        let task = Task { try await bench.pipeline.load(request) }
        await reached.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await bench.pipeline.loads.originals.untilIdle()
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `an interrupted body is requested once more before the next source`() async throws {
        let data = FakeImageDecoder.data(width: 4, height: 3)
        for breakCount in 1...2 {
            let bench = PipelineBench { request, number in
                let body = FetchBody {
                    var rest: Data? = data.prefix(3)
                    return FetchBody.Iterator {
                        if let chunk = rest.take() { return chunk }
                        throw FetchError(.connectionLost, isRetryable: true, detail: "lost")
                    }
                }
                guard number < breakCount else { return .network(request.url, data) }
                return FetchResponse(origin: .network, url: request.url, body: body)
            }
            let request = bench.request { $0.alternatives = [Self.mirror] }
            #expect(try await bench.pipeline.data(for: request).data == data)
            #expect(
                bench.loader.requests.map(\.url).last == (breakCount == 1 ? PipelineBench.url : Self.mirror)
            )
        }
    }

    // A maintenance page with status 200.
    @Test func `a response that is not an image leads to the next source`() async throws {
        let bench = PipelineBench { request, number in
            let isPage = number == 0
            return .network(
                request.url,
                isPage ? Data("<html>".utf8) : FakeImageDecoder.data(width: 4, height: 3)
            )
        }
        let request = bench.request { $0.alternatives = [Self.mirror] }
        #expect(try await bench.pipeline.load(request).image.size.width == 4)
        #expect(bench.loader.requests.map(\.url) == [PipelineBench.url, Self.mirror])
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
        bench.pipeline.cache.removeAllFromMemory()
        try await bench.pipeline.cache.removeAll()
        _ = try await bench.pipeline.data(for: request)
        #expect(bench.loader.requests.last?.url == Self.mirror, "the first is remembered to have no image")
        #expect(bench.loader.requests.count == 3)
    }

    private struct DecryptionError: Error {}

    @Test func `a custom error of a loader leads to the next source`() async throws {
        let bench = PipelineBench { request, number in
            if number == 0 { throw DecryptionError() }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let request = bench.request { $0.alternatives = [Self.mirror] }
        #expect(try await bench.pipeline.load(request).image.size.width == 4)
        #expect(bench.loader.requests.map(\.url) == [PipelineBench.url, Self.mirror])
    }
}
