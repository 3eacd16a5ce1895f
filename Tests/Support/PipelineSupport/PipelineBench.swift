package import Calotype
package import CalotypeTesting
package import FoundationEssentials

extension FetchResponse {
    package static func network(
        _ url: URL,
        _ data: Data = Data(),
        status: Int = 200,
        _ headers: [String: String] = [:]
    ) -> FetchResponse {
        FetchResponse(
            origin: .network,
            url: url,
            status: status,
            headers: headers.map { HeaderField($0.key, $0.value) },
            expectedByteCount: data.count,
            body: FetchBody(data)
        )
    }
}

/// Returns a script that answers every request with an image of the fake format.
package func fakeImages(_ width: Int, _ height: Int) -> ScriptedDataLoader.Script {
    { request, _ in .network(request.url, FakeImageDecoder.data(width: width, height: height)) }
}

/// A body whose chunks the test sends on demand.
package final class PacedBody: Sendable {
    private let stream: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    /// Opened when the reader has released the body.
    package let isDropped = AsyncGate()

    package init() {
        (stream, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [isDropped] _ in isDropped.open() }
    }

    package func send(_ chunk: Data) { continuation.yield(chunk) }

    package func finish() { continuation.finish() }

    package var body: FetchBody {
        FetchBody { [stream] in
            var iterator = stream.makeAsyncIterator()
            return FetchBody.Iterator {
                let chunk = await iterator.next(isolation: #isolation)
                try Task.checkCancellation()
                return chunk
            }
        }
    }
}

package final class ManualInstant: Sendable {
    private let state = SharedState(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { state.value }

    package func advance(by duration: Duration) { state.withLock { $0 += duration } }
}

extension ImagePipeline.Configuration {
    /// The configuration with timeouts for a machine that runs every test at the same time.
    package var patient: Self {
        var configuration = self
        configuration.timeout = .seconds(1_200)
        configuration.shutdownGrace = .seconds(600)
        configuration.storeTimeout = .seconds(600)
        return configuration
    }
}

/// A pipeline over test doubles, with a manual time of day and a manual clock.
package struct PipelineBench {
    // The literal is a URL.
    package static let url = URL(string: "https://example.org/a.fake")!

    package let decoder = FakeImageDecoder()
    package let store = FakeByteStore()
    package let time = ManualTimeSource()
    package let instant = ManualInstant()
    package let loader: ScriptedDataLoader
    package let pipeline: ImagePipeline

    package init(
        store isStored: Bool = true,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in },
        answer: @escaping ScriptedDataLoader.Script
    ) {
        loader = ScriptedDataLoader(answer)
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let memory = ImageCache.Memory(pressureSource: nil)
        let cache = ImageCache(memory: memory, stores: isStored ? [store] : [], codecs: codecs)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader).patient
        configuration.timeSource = time
        configuration.now = { [instant] in instant.now }
        configuration.pause = { _ in }
        configuration.progressInterval = .zero
        configuration.previewInterval = .zero
        configure(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    package func request(width: Int? = nil, _ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest
    {
        var request = ImageRequest(url: Self.url)
        if let width { request.decoding.target = .fit(PixelBox(width: width)) }
        request.waitsForStore = true
        change(&request)
        return request
    }

    /// The values of a header field in the requests, `nil` for requests without it.
    package func sent(_ name: String) -> [String?] {
        loader.requests.map { request in request.headers.first { $0.name == name }?.value }
    }
}
