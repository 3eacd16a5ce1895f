import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct NegativeCacheTests {
    private let start = ContinuousClock.now
    private let error = LoadError(stage: .load, underlying: FetchError(.unacceptableStatus, detail: "404"))

    @Test func `a failure is remembered only for the configured duration`() {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 10)
        memory.note(error, of: "a", at: start)
        #expect(memory.failure(of: "a", at: start + .seconds(59)) != nil)
        #expect(memory.failure(of: "a", at: start + .seconds(60)) == nil)
        #expect(memory.failure(of: "b", at: start) == nil)
    }

    // SDWebImage's set of failed URLs grows without bound.
    @Test func `the oldest failure is forgotten beyond the maximum count`() {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 10)
        for index in 0..<100_000 { memory.note(error, of: "\(index % 25)", at: start) }
        #expect(memory.count == 10)
        #expect(memory.failure(of: "24", at: start) != nil)
        #expect(memory.failure(of: "14", at: start) == nil)
    }

    @Test func `expired failures are removed when another is noted`() {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 1_000)
        for index in 0..<500 { memory.note(error, of: "\(index)", at: start) }
        memory.note(error, of: "new", at: start + .seconds(61))
        #expect(memory.count == 1)
    }

    @Test func `sources that differ only in Unicode normalization are distinct`() {
        var memory = NegativeCache(duration: .seconds(60), maxCount: 10)
        memory.note(error, of: "caf\u{E9}", at: start)
        #expect(memory.failure(of: "caf\u{E9}", at: start) != nil)
        #expect(memory.failure(of: "cafe\u{301}", at: start) == nil)
    }

    @Test func `a duration or a count of zero remembers no failure`() {
        for var memory in [
            NegativeCache(duration: .zero, maxCount: 10), NegativeCache(duration: .seconds(1), maxCount: 0),
        ] {
            memory.note(error, of: "a", at: start)
            #expect(memory.failure(of: "a", at: start) == nil)
        }
    }

    // SDWebImage #1282, #707, #938: an image that failed once never loads again until the program restarts.
    @Test func `a missing source is requested again after a minute`() async throws {
        let bench = PipelineBench { request, number in
            if number == 0 { throw FetchError(.unacceptableStatus, status: 404, detail: "404") }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        }
        #expect(bench.loader.requests.count == 1)
        bench.instant.advance(by: .seconds(60))
        #expect(try await bench.pipeline.load(bench.request()).source == .network)
    }

    @Test func `a request can ignore a past failure and the pipeline can forget all of them`() async throws {
        let bench = PipelineBench { _, _ in
            throw FetchError(.unacceptableStatus, status: 410, detail: "410")
        }
        func load(_ change: (inout ImageRequest) -> Void = { _ in }) async {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request(change)) }
        }
        await load()
        await load { $0.ignoresPastFailure = true }
        #expect(bench.loader.requests.count == 2)
        bench.pipeline.forgetFailures()
        await load()
        #expect(bench.loader.requests.count == 3)
    }

    @Test func `a later success clears the failure of a source`() async throws {
        let bench = PipelineBench(store: false) { request, number in
            if number == 0 { throw FetchError(.unacceptableStatus, status: 404, detail: "404") }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        _ = try await bench.pipeline.load(bench.request { $0.ignoresPastFailure = true })
        #expect(try await bench.pipeline.load(bench.request(width: 2)).source == .network)
    }

    /// An encoder that ends its worker and counts its calls.
    private struct EndingEncoder: ImageEncoder, Hashable {
        let code: EncodeError.Code
        let count = SharedState(0)
        var format: ImageFormat { .png }
        var cacheIdentity: String { "ending-1(\(code.label))" }

        func encode(_ image: Image) throws(EncodeError) -> Data {
            count.withLock { $0 += 1 }
            throw EncodeError(code, format: .png, detail: "")
        }

        static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        func hash(into hasher: inout Hasher) { hasher.combine(code) }
    }

    private struct EndingTransform: ImageTransform {
        let count: SharedState<Int>
        var cacheIdentity: String { "ending-1()" }

        func apply(to image: Image) throws -> Image {
            count.withLock { $0 += 1 }
            throw TransformError(.memoryExceeded, detail: "")
        }

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    @Test(arguments: [EncodeError.Code.timedOut, .crashed, .memoryExceeded, .codecFailure])
    func `an encoder that has ended its worker is not run again at once`(
        code: EncodeError.Code
    ) async throws {
        let bench = PipelineBench(answer: fakeImages(4, 3))
        let encoder = EndingEncoder(code: code)
        func load(_ change: (inout ImageRequest) -> Void = { _ in }) async {
            let error = await #expect(throws: LoadError.self) {
                try await bench.pipeline.data(
                    for: bench.request {
                        $0.encoding = ImageEncoding(encoder)
                        change(&$0)
                    }
                )
            }
            #expect((error?.underlying as? EncodeError)?.code == code)
        }
        let isRemembered = code != .codecFailure
        for _ in 0..<2 { await load() }
        #expect(encoder.count.value == (isRemembered ? 1 : 2))
        await load { $0.ignoresPastFailure = true }
        bench.instant.advance(by: .seconds(60))
        await load()
        #expect(encoder.count.value == (isRemembered ? 3 : 4))
        #expect(bench.loader.requests.count == 1, "the original is not to blame")
    }

    @Test func `a transform that has ended its worker is not run again at once`() async throws {
        let bench = PipelineBench(answer: fakeImages(4, 3))
        let count = SharedState(0)
        for _ in 0..<2 {
            await #expect(throws: LoadError.self) {
                try await bench.pipeline.load(
                    bench.request { $0.transforms = TransformChain(EndingTransform(count: count)) }
                )
            }
        }
        #expect(count.value == 1)
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 4)
    }

    // SDWebImage #1864, #3059: timeouts must not put a URL on the list.
    @Test(arguments: [
        FetchError(.timedOut, isRetryable: true, detail: ""), FetchError(.connectionLost, detail: ""),
        FetchError(.unacceptableStatus, status: 503, detail: ""),
        FetchError(.unacceptableStatus, status: 401, detail: ""),
    ])
    func `a transient failure is not remembered`(error: FetchError) async throws {
        let bench = PipelineBench { _, _ in throw error }
        for _ in 0..<2 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        }
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a response that is not an image is not downloaded again at once`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Data("<html>".utf8)) }
        for _ in 0..<2 {
            let error = try await #require(throws: LoadError.self) {
                try await bench.pipeline.load(bench.request())
            }
            #expect(error.codeLabel == "unrecognizedFormat")
        }
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a source with a remembered failure is skipped and its alternatives are loaded`() async throws
    {
        // The literal is a URL.
        let mirror = URL(string: "https://mirror.example.com/a.fake")!
        let bench = PipelineBench(store: false) { request, _ in
            guard request.url == mirror else {
                throw FetchError(.unacceptableStatus, status: 404, detail: "404")
            }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        for width in 1...2 {
            _ = try await bench.pipeline.load(bench.request(width: width) { $0.alternatives = [mirror] })
        }
        #expect(bench.loader.requests.map(\.url) == [PipelineBench.url, mirror, mirror])
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request(width: 3)) }
        #expect(bench.loader.requests.count == 3)
    }
}
