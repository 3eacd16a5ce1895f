import Calotype
import CalotypeTesting
import FoundationEssentials

extension FetchResponse {
    /// An answer of the network.
    static func network(
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

/// A body whose chunks a test sends when it likes.
final class PacedBody: Sendable {
    private let stream: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    /// Opened when the reader has let go of the body.
    let isDropped = AsyncGate()

    init() {
        (stream, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [isDropped] _ in isDropped.open() }
    }

    func send(_ chunk: Data) { continuation.yield(chunk) }

    func finish() { continuation.finish() }

    var body: FetchBody {
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

/// A clock for durations that stands still until it is told to move.
final class ManualInstant: Sendable {
    private let state = SharedState(ContinuousClock.now)

    var now: ContinuousClock.Instant { state.value }

    func advance(by duration: Duration) { state.withLock { $0 += duration } }
}

/// A pipeline over doubles, with a time of day and a clock of its own.
struct PipelineBench {
    // The literal is a URL.
    static let url = URL(string: "https://example.org/a.fake")!

    let decoder = FakeImageDecoder()
    let store = FakeByteStore()
    let time = ManualTimeSource()
    let instant = ManualInstant()
    let loader: ScriptedDataLoader
    let pipeline: ImagePipeline

    init(
        store isStored: Bool = true,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in },
        answer: @escaping ScriptedDataLoader.Script
    ) {
        loader = ScriptedDataLoader(answer)
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let cache = ImageCache(stores: isStored ? [store] : [], codecs: codecs)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.timeSource = time
        configuration.now = { [instant] in instant.now }
        configuration.progressInterval = .zero
        configuration.previewInterval = .zero
        configure(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    func request(width: Int? = nil, _ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: Self.url)
        if let width { request.decoding.target = .fit(PixelBox(width: width)) }
        request.waitsForStore = true
        change(&request)
        return request
    }

    /// What the requests said in a field, `nil` for those without it.
    func sent(_ name: String) -> [String?] {
        loader.requests.map { request in request.headers.first { $0.name == name }?.value }
    }
}
