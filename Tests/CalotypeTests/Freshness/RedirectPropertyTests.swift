import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// An origin whose redirects change their target at times, whose targets change, and whose bodies break
/// off.
///
/// Each target obeys HTTP. Its validators and its length equal those of every other target at the
/// same version, so that only the URL distinguishes them.
private struct ShiftingOrigin {
    struct Content: Hashable {
        var target: String
        var version: Int
    }

    private var random: SeededGenerator
    private var versions = ["/a": 0, "/b": 0, "/c": 0]
    private var destination = "/a"
    /// The contents served since the last call of ``forget()``.
    private(set) var answered: Set<Content> = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    /// Changes the target of the redirects, or the content of a target.
    mutating func shift() {
        if chance(0.4) { destination = ["/a", "/b", "/c", "/hop"].randomElement(using: &random) ?? "/a" }
        if chance(0.3), let target = versions.keys.sorted().randomElement(using: &random) {
            versions[target, default: 0] += 1
        }
    }

    mutating func forget() { answered = [] }

    static func bytes(_ content: Content) -> Data {
        let line = "\(content.target)\(content.version / 10 % 10)\(content.version % 10) "
        return FakeImageDecoder.data(width: 8, height: 8, suffix: String(repeating: line, count: 10_000))
    }

    mutating func answer(_ request: OriginRequest) -> OriginResponse {
        if chance(0.1) { shift() }
        switch request.path {
        case "/r": return redirect(to: destination)
        case "/hop": return redirect(to: chance(0.5) ? "/b" : "/c")
        default: return content(request)
        }
    }

    private mutating func redirect(to target: String) -> OriginResponse {
        var redirect = OriginResponse.redirect(to: target, status: chance(0.5) ? 302 : 301)
        redirect.headers.append(OriginField("Cache-Control", "max-age=0"))
        return redirect
    }

    private mutating func content(_ request: OriginRequest) -> OriginResponse {
        guard let version = versions[request.path] else { return .status(404) }
        let content = Content(target: request.path, version: version)
        answered.insert(content)
        let (tag, date) = ("\"\(version)\"", date(of: version))
        var fields = [OriginField("ETag", tag), OriginField("Last-Modified", date)]
        fields.append(OriginField("Cache-Control", chance(0.2) ? "no-store" : "max-age=0"))
        fields.append(OriginField("Date", "Tue, 02 Jan 2024 00:00:00 GMT"))
        if let asked = request[header: "if-none-match"] {
            if asked == tag { return OriginResponse(status: 304, headers: fields) }
        }
        let whole = Self.bytes(content)
        var (status, body) = (200, whole)
        if let start = request[header: "range"].flatMap({ Int($0.dropFirst(6).dropLast()) }),
            request[header: "if-range"] == tag
        {
            (status, body) = (206, Data(whole.dropFirst(start)))
            let range = "bytes \(start)-\(whole.count - 1)/\(whole.count)"
            fields.append(OriginField("Content-Range", range))
        }
        let isBroken = chance(0.35)
        var response =
            isBroken
            ? OriginResponse.body(body, resetAfter: Int.random(in: 0..<max(1, body.count), using: &random))
            : OriginResponse.body(body)
        (response.status, response.headers) = (status, fields)
        return response
    }

    private func date(of version: Int) -> String {
        "Mon, 01 Jan 2024 00:00:\(version < 10 ? "0" : "")\(version % 60) GMT"
    }
}

@Suite(.gated)
struct RedirectPropertyTests {
    @Test(arguments: UInt64(0)..<24)
    func `delivered and stored bytes are those of one version of one target`(seed: UInt64) async throws {
        let state = SharedState(ShiftingOrigin(seed: seed))
        let origin = try await LoopbackOrigin.start { request in state.withLock { $0.answer(request) } }
        var retry = RetryPolicy()
        retry.maxFirstDelay = .zero
        retry.maxRetryCount = 3
        let (store, partials) = (FakeByteStore(), FakeByteStore())
        let memory = ImageCache.Memory(pressureSource: nil)
        let cache = ImageCache(memory: memory, stores: [store], codecs: HTTPBench.codecs())
        let loader = RoutingLoader.standard(.patient, retry: retry)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader).patient
        configuration.partialStore = partials
        configuration.pause = { _ in }
        let pipeline = ImagePipeline(configuration)
        for round in 0..<30 {
            let (respects, validates) = state.withLock { origin in
                origin.forget()
                origin.shift()
                return (origin.chance(0.7), origin.chance(0.3))
            }
            var request = ImageRequest(url: origin.url("/r"), waitsForStore: true)
            request.httpCaching = respects ? .respectsHTTP : .ignoresHTTP
            request.cachePolicy.alwaysRevalidates = validates
            request.ignoresPastFailure = true
            let place = Comment(rawValue: "seed \(seed), round \(round)")
            do {
                let result = try await pipeline.data(for: request)
                let contents = state.value.answered
                let isCurrent = contents.contains { ShiftingOrigin.bytes($0) == result.data }
                // A stored image may be returned if HTTP caching is ignored or the origin fails.
                let mayBeOld = result.isStale || !respects && !validates
                #expect(isCurrent || mayBeOld && Self.isWhole(result.data), place)
            } catch let error as LoadError {
                #expect(error.isRetryable, place)
            }
            for key in store.keys {
                let stored = try #require(try await store.blob(forKey: key)).data
                #expect(Self.isWhole(stored), place)
            }
        }
        try await pipeline.shutdown()
        await origin.close()
    }

    /// Whether the bytes are those of one content.
    private static func isWhole(_ data: Data) -> Bool {
        ["/a", "/b", "/c"].contains { target in
            (0..<60).contains { version in
                data == ShiftingOrigin.bytes(.init(target: target, version: version))
            }
        }
    }
}
