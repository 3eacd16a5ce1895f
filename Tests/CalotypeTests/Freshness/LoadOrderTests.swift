import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Two loads of a source, of which the one that began later ends first.
@Suite(.gated) struct LoadOrderTests {
    private static let lasting = ["Cache-Control": "max-age=100000"]

    private static func picture(_ width: Int) -> Data { FakeImageDecoder.data(width: width, height: 30) }

    // An editor publishes a wrong picture, and puts the former one back.
    @Test func `a load that began before a refresh does not undo one that brought the former content`()
        async throws
    {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 1 else { return .network(request.url, Self.picture(40), Self.lasting) }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.picture(80), Self.lasting)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(request).image.size.width == 40)
        let slow = Task {
            try await bench.pipeline.load(
                bench.request {
                    $0.httpCaching = .respectsHTTP
                    $0.cachePolicy.alwaysRevalidates = true
                }
            )
        }
        await reached.wait()
        var refresh = request
        refresh.cachePolicy = .refresh
        #expect(try await bench.pipeline.load(refresh).image.size.width == 40)
        gate.open()
        _ = try await slow.value
        await bench.pipeline.untilIdle()
        #expect(try await bench.pipeline.load(request).image.size.width == 40)
    }

    @Test func `a load that began before its source was found gone does not bring it back`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                throw FetchError(.unacceptableStatus, status: 410, detail: "gone")
            }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.picture(40), Self.lasting)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        let slow = Task { try await bench.pipeline.load(request) }
        await reached.wait()
        // Another limit, so that the loads are not shared.
        let later = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.decoding.limits.maxByteCount -= 1
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(later) }
        gate.open()
        _ = try await slow.value
        await bench.pipeline.untilIdle()
        #expect(bench.pipeline.residentImage(for: request) == nil)
        #expect(bench.store.keys.isEmpty)
    }

    @Test func `a call does not join a load that began before newer content came`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                return .network(
                    request.url,
                    FakeImageDecoder.data(width: 80, height: 20),
                    Self.lasting
                )
            }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.picture(40), Self.lasting)
        }
        let small = bench.request(width: 20) { $0.httpCaching = .respectsHTTP }
        let before = Task { try await bench.pipeline.load(small) }
        await reached.wait()
        let reload = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.headers = [HeaderField("Cache-Control", "no-cache")]
        }
        #expect(try await bench.pipeline.load(reload).image.size == PixelSize(width: 80, height: 20))
        let hasEnded = SharedState(false)
        let after = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await bench.pipeline.load(small)
        }
        _ = await AdmissionBench.eventually {
            bench.pipeline.loads.variants.waiterCount == 2 || hasEnded.value
        }
        gate.open()
        _ = try await before.value
        #expect(try await after.value.image.size == PixelSize(width: 20, height: 5), "the newer content")
    }

    @Test func `a load that began before newer content came does not let its source pass for missing`()
        async throws
    {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                return .network(request.url, Self.picture(40), ["Cache-Control": "no-cache"])
            }
            reached.open()
            await gate.wait()
            throw FetchError(.unacceptableStatus, status: 404, detail: "not published yet")
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        let slow = Task { try await bench.pipeline.load(request) }
        await reached.wait()
        // Another limit, so that the loads are not shared.
        let later = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.decoding.limits.maxByteCount -= 1
        }
        #expect(try await bench.pipeline.load(later).image.size.width == 40)
        gate.open()
        await #expect(throws: LoadError.self) { try await slow.value }
        #expect(try await bench.pipeline.load(later).image.size.width == 40, "its origin has it")
    }

    @Test func `a load that began before content that must not be stored does not store older content`()
        async throws
    {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                return .network(request.url, Self.picture(80), ["Cache-Control": "no-store"])
            }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.picture(40), Self.lasting)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        let slow = Task { try await bench.pipeline.load(request) }
        await reached.wait()
        // Another limit, so that the loads are not shared.
        let later = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.decoding.limits.maxByteCount -= 1
        }
        #expect(try await bench.pipeline.load(later).image.size.width == 80)
        gate.open()
        _ = try await slow.value
        await bench.pipeline.untilIdle()
        #expect(try await bench.pipeline.load(request).image.size.width == 80)
    }
}
