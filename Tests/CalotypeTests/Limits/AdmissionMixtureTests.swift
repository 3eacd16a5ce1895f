import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestTraits
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// True if a condition holds within many turns of the process's threads.
private func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if await condition() { return true }
        await Task.yield()
    }
    return false
}

/// Random mixtures of loads, after which every budget and gate is free.
@Suite(.timeLimit(.minutes(20))) struct AdmissionMixtureTests {
    private static func configuration(
        _ decoder: some ImageDecoder,
        stores: [any ByteStore] = [],
        _ loader: any DataLoader
    ) -> ImagePipeline.Configuration {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: 0),
            stores: stores,
            codecs: codecs,
            decodeConcurrencyMax: 2
        )
        return ImagePipeline.Configuration(cache: cache, loader: loader).patient
    }

    private static func request(_ host: String, _ number: Int = 0, width: Int? = nil) throws -> ImageRequest {
        var request = ImageRequest(url: try #require(URL(string: "https://\(host)/\(number).fake")))
        if let width { request.decoding.target = .fit(width: width) }
        return request
    }

    @Test(arguments: 0..<8) func `after any mixture of loads nothing is held`(seed: Int) async throws {
        let randomness = SharedState(UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        @Sendable func random(_ bound: Int) -> Int {
            randomness.withLock { state in
                state &+= 0x9E37_79B9_7F4A_7C15
                var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
                value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
                return Int((value ^ value >> 31) % UInt64(bound))
            }
        }
        let (store, partials, time) = (FakeByteStore(), FakeByteStore(name: "partial"), ManualTimeSource())
        let lost = FetchError(.connectionLost, isRetryable: true, detail: "lost")
        let loader = ScriptedDataLoader { request, _ in
            for _ in 0..<random(40) { await Task.yield() }
            try Task.checkCancellation()
            let tag = "\"\(random(2))\""
            let data = FakeImageDecoder.data(width: 40 + random(3), height: 30) + Data(count: 60_000)
            let cacheControl = [
                "max-age=60, stale-if-error=6000", "max-age=60, stale-while-revalidate=6000",
                "no-store", "max-age=1",
            ][random(4)]
            let head = ["ETag": tag, "Cache-Control": cacheControl]
            let isConditional = request.headers.contains { $0.name == "If-None-Match" }
            switch random(8) {
            case 0: throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
            case 1: throw FetchError(.unacceptableStatus, status: 404, detail: "gone")
            case 2:
                var response = FetchResponse.network(request.url, data, head)
                response.body = FetchBody([data.prefix(30_000)], then: lost)
                return response
            case 3:
                return .network(request.url, Data(), status: isConditional ? 304 : 200, head)
            case 5: return .network(request.url, Data("<html>".utf8), head)
            default: return .network(request.url, data, head)
            }
        }
        var configuration = Self.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.workGate = AdmissionGate(countMax: 2, waitingCountMax: 20)
        configuration.workByteCountMax = 20_000
        configuration.byteCountInFlightMax = 1 << 20
        configuration.partialStore = partials
        configuration.timeSource = time
        configuration.staleWait = .milliseconds(1)
        configuration.failureDuration = .zero
        configuration.pause = { _ in }
        configuration.encodedCostLimit = 0
        let pipeline = ImagePipeline(configuration)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<600 {
            var request = try Self.request("host\(random(3)).test", random(6))
            if random(2) == 0 { request.decoding.target = .fit(width: 10 + random(3)) }
            if random(2) == 0 { request.httpCaching = .respectsHTTP }
            if random(3) == 0 { request.encoding = random(2) == 0 ? .png : .jpeg() }
            if random(4) == 0 { request.waitsForStore = true }
            if random(6) == 0 { request.cachePolicy.original = .writeOnly }
            if random(6) == 0 { request.cachePolicy.alwaysValidates = true }
            let isData = random(2) == 0
            let task = Task { [request] in
                if isData {
                    _ = try await pipeline.data(for: request)
                } else {
                    _ = try await pipeline.image(for: request)
                }
            }
            tasks.append(task)
            if random(3) == 0 {
                let delay = random(200)
                Task {
                    for _ in 0..<delay { await Task.yield() }
                    task.cancel()
                }
            }
            for _ in 0..<random(10) { await Task.yield() }
            if random(20) == 0 { time.advance(by: .seconds(30)) }
        }
        for task in tasks { _ = await task.result }
        await pipeline.untilIdle()
        let stages = pipeline.stages
        let isFree = await eventually {
            let held: [Int] = [
                stages.fetching.heldByteCount, stages.stored.heldByteCount, stages.validating.heldByteCount,
                stages.writing.heldByteCount, stages.reading.runningCount, stages.codecCount,
                stages.variantReading.runningCount, stages.waitingCodecCount, stages.fetching.waitingCount,
                pipeline.workload.runningCount, pipeline.workload.waitingCount, stages.stored.waitingCount,
                pipeline.workload.heldByteCount,
            ]
            return held.allSatisfy { $0 == 0 }
        }
        #expect(
            isFree,
            """
            fetching \(stages.fetching.heldByteCount), stored \(stages.stored.heldByteCount), validating \
            \(stages.validating.heldByteCount), writing \(stages.writing.heldByteCount), \(pipeline.workload)
            """
        )
    }
}
