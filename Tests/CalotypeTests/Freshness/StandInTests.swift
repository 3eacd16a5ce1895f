import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Stale images returned for a failing origin, and the effect of its failures on cached images.
@Suite(.gated) struct StandInTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let standsIn = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-if-error=6000"]
    // The literal is a URL.
    private static let mirror = URL(string: "https://mirror.example.com/a.fake")!

    private func load(
        _ bench: PipelineBench,
        _ change: (inout ImageRequest) -> Void = { _ in }
    ) async throws -> LoadedImage {
        try await bench.pipeline.load(
            bench.request {
                $0.httpCaching = .respectsHTTP
                change(&$0)
            }
        )
    }

    /// A pipeline that has loaded the old image, which is stale by now.
    private func staleBench(
        _ headers: [String: String] = Self.standsIn,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in },
        then answer: @escaping ScriptedDataLoader.Script
    ) async throws -> PipelineBench {
        let bench = PipelineBench {
            $0.staleFallbackTimeout = .seconds(600)
            configure(&$0)
        } answer: { request, number in
            if number == 0 { return .network(request.url, Self.old, headers) }
            return try await answer(request, number)
        }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(90))
        return bench
    }

    // An origin that was down delayed each of its images by the time of all retries.
    @Test
    func `a slow origin is awaited briefly, then requested in the background only`() async throws {
        let gate = AsyncGate()
        let bench = try await staleBench(Self.standsIn, { $0.staleFallbackTimeout = .milliseconds(20) }) {
            request,
            number in
            if number == 1 {
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    gate.open()
                }
                throw CancellationError()
            }
            throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
        }
        #expect(try await load(bench).image.size.width == 40)
        await bench.pipeline.loads.originals.untilIdle()
        #expect(bench.loader.requests.map(\.isSingleAttempt) == [false, true])
        #expect(try await load(bench).image.size.width == 40)
        await bench.pipeline.loads.originals.untilIdle()
        #expect(bench.loader.requests.map(\.isSingleAttempt) == [false, true, false])
        bench.instant.advance(by: .seconds(11))
        #expect(try await load(bench).image.size.width == 40)
        #expect(
            bench.loader.requests.last?.isSingleAttempt == true,
            "asked again once the failure is forgotten"
        )
    }

    @Test func `a stalled body is not awaited and its load continues`() async throws {
        let (body, reached) = (PacedBody(), AsyncGate())
        let bench = try await staleBench(Self.standsIn, { $0.staleFallbackTimeout = .milliseconds(20) }) {
            request,
            _ in
            var response = FetchResponse.network(request.url, Self.new, Self.standsIn)
            response.body = body.body
            reached.open()
            return response
        }
        let loaded = try await load(bench)
        #expect((loaded.image.size.width, loaded.isStale) == (40, true))
        await reached.wait()
        #expect(try await load(bench).isStale, "later callers take the same")
        #expect(bench.loader.requests.count == 2)
        #expect(bench.pipeline.stages.limits.validating.heldByteCount == Self.old.count)
        body.send(Self.new)
        body.finish()
        await bench.pipeline.loads.originals.untilIdle()
        #expect(bench.pipeline.stages.limits.validating.heldByteCount == 0)
        let fresh = try await load(bench)
        #expect((fresh.image.size.width, fresh.isStale) == (80, false))
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a stale image returned for a slow body is not held beyond the budget`() async throws {
        let body = PacedBody()
        let bench = try await staleBench(Self.standsIn, { $0.staleFallbackTimeout = .milliseconds(20) }) {
            request,
            _ in
            var response = FetchResponse.network(request.url, Self.new, Self.standsIn)
            response.body = body.body
            return response
        }
        let validating = bench.pipeline.stages.limits.validating
        // Two may exceed the budget, and while a third one waits no other is granted at once.
        let byteCount = 1 << 40
        let leases = [
            try await validating.lease(byteCount, of: "first", LivePriority()),
            try await validating.lease(byteCount, of: "second", LivePriority()),
        ]
        let waiting = Task { try await validating.lease(byteCount, of: "third", LivePriority()).end() }
        while validating.waitingCount == 0 { await Task.yield() }
        #expect(try await load(bench).isStale)
        #expect(try await load(bench).isStale)
        #expect(validating.heldByteCount == 2 * byteCount)
        #expect(bench.loader.requests.count == 3, "each has asked for itself")
        for lease in leases { lease.end() }
        try await waiting.value
        body.send(Self.new)
        body.finish()
        await bench.pipeline.loads.originals.untilIdle()
    }

    @Test func `waiting in the loader's queue does not count as a failure of the origin`() async throws {
        let bench = try await staleBench(Self.standsIn, { $0.staleFallbackTimeout = .milliseconds(20) }) {
            request,
            number in
            request.tally?.recordQueued(true)
            if number < 3 {
                let gate = AsyncGate()
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    gate.open()
                }
                throw CancellationError()
            }
            return .network(request.url, Self.new, Self.standsIn)
        }
        for _ in 0..<2 {
            #expect(try await load(bench).isStale)
            await bench.pipeline.loads.originals.untilIdle()
        }
        #expect(bench.loader.requests.map(\.isSingleAttempt) == [false, true, true])
    }

    @Test func `callers that get a stale image share one background request`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = try await staleBench { request, number in
            if number == 1 { throw FetchError(.connectionFailed, isRetryable: true, detail: "down") }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.new, Self.standsIn)
        }
        for _ in 0..<10 {
            let loaded = try await load(bench)
            #expect((loaded.image.size.width, loaded.isStale) == (40, true))
        }
        await reached.wait()
        #expect(bench.loader.requests.count == 3)
        gate.open()
        await bench.pipeline.loads.originals.untilIdle()
        let fresh = try await load(bench)
        #expect((fresh.image.size.width, fresh.isStale) == (80, false))
    }

    @Test func `a stale image is not returned after its stale-if-error time`() async throws {
        let bench = try await staleBench(["Cache-Control": "max-age=60, stale-if-error=60"]) { _, _ in
            throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
        }
        #expect(try await load(bench).image.size.width == 40)
        bench.time.advance(by: .seconds(60))
        await #expect(throws: LoadError.self) { try await load(bench) }
    }

    // A captive portal or a maintenance page: status 200 without an image.
    @Test(arguments: [true, false])
    func `a response that is not an image does not replace the cached image`(mayStandIn: Bool) async throws {
        let headers = mayStandIn ? Self.standsIn : ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
        let bench = try await staleBench(headers) { request, _ in
            .network(request.url, Data("<html>".utf8), ["Cache-Control": "max-age=60"])
        }
        if mayStandIn {
            #expect(try await load(bench).image.size.width == 40)
        } else {
            let error = try await #require(throws: LoadError.self) { try await load(bench) }
            #expect(error.codeLabel == "unrecognizedFormat")
        }
        #expect(bench.pipeline.residentImage(for: bench.request())?.size.width == 40)
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
    }

    @Test func `an alternative is requested without validators if revalidation fails`() async throws {
        let bench = try await staleBench(["ETag": "\"1\"", "Cache-Control": "max-age=60"]) { request, _ in
            guard request.url == Self.mirror else {
                throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
            }
            return .network(request.url, Self.new)
        }
        #expect(try await load(bench) { $0.alternatives = [Self.mirror] }.image.size.width == 80)
        #expect(
            bench.sent("If-None-Match") == [nil, "\"1\"", nil],
            "what another source has is not confirmed"
        )
    }

    @Test func `an interrupted revalidation returns the stale image and is repeated later`() async throws {
        let bench = try await staleBench { request, number in
            guard number == 1 else { return .network(request.url, Self.new, Self.standsIn) }
            let lost = FetchError(.connectionLost, isRetryable: true, detail: "lost")
            return FetchResponse(
                origin: .network,
                url: request.url,
                body: FetchBody([Self.new.prefix(3)], then: lost)
            )
        }
        let fresh = try await load(bench) { $0.headers = [] }
        #expect(fresh.image.size.width == 40, "it stands in at once, since only one try is made")
        await bench.pipeline.loads.originals.untilIdle()
        #expect(try await load(bench).image.size.width == 40)
        await bench.pipeline.loads.originals.untilIdle()
        #expect(try await load(bench).image.size.width == 80)
    }

    @Test(arguments: [404, 410])
    func `a 404 or 410 response removes the cached image and is not repeated at once`(status: Int)
        async throws
    {
        let bench = try await staleBench { _, _ in
            throw FetchError(.unacceptableStatus, status: status, detail: "gone")
        }
        for _ in 0..<3 {
            let error = try await #require(throws: LoadError.self) { try await load(bench) }
            #expect((error.underlying as? FetchError)?.status == status)
        }
        #expect(bench.loader.requests.count == 2)
        #expect(bench.store.keys.isEmpty)
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil)
    }
}
