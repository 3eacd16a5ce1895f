import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Random mixtures of loads, after which every budget and gate is free.
@Suite(.gated) struct AdmissionMixtureTests {
    private static let lost = FetchError(.connectionLost, isRetryable: true, detail: "lost")
    private static let cacheControls = [
        "max-age=60, stale-if-error=6000", "max-age=60, stale-while-revalidate=6000", "no-store", "max-age=1",
    ]

    private let time = ManualTimeSource()

    private static func respond(to request: FetchRequest, _ numbers: Numbers) async throws -> FetchResponse {
        for _ in 0..<numbers.next(below: 40) { await Task.yield() }
        try Task.checkCancellation()
        let data = FakeImageDecoder.data(width: 40 + numbers.next(below: 3), height: 30) + Data(count: 60_000)
        let head = [
            "ETag": "\"\(numbers.next(below: 2))\"",
            "Cache-Control": cacheControls[numbers.next(below: cacheControls.count)],
        ]
        switch numbers.next(below: 8) {
        case 0: throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
        case 1: throw FetchError(.unacceptableStatus, status: 404, detail: "gone")
        case 2:
            var response = FetchResponse.network(request.url, data, head)
            response.body = FetchBody([data.prefix(30_000)], then: lost)
            return response
        case 3:
            let isConditional = request.headers.contains { $0.name == "If-None-Match" }
            return .network(request.url, Data(), status: isConditional ? 304 : 200, head)
        case 4: return .network(request.url, Data("<html>".utf8), head)
        default: return .network(request.url, data, head)
        }
    }

    private func pipeline(_ numbers: Numbers) -> ImagePipeline {
        var codecs = CodecRegistry.standard
        codecs.register(FakeImageDecoder())
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: 0),
            stores: [FakeByteStore()],
            codecs: codecs,
            maxDecodeConcurrency: 2
        )
        let loader = ScriptedDataLoader { request, _ in try await Self.respond(to: request, numbers) }
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader).patient
        configuration.workGate = AdmissionGate(maxCount: 2, maxWaitingCount: 20)
        configuration.maxWorkByteCount = 20_000
        configuration.maxByteCountInFlight = 1 << 20
        configuration.partialStore = FakeByteStore(name: "partial")
        configuration.timeSource = time
        configuration.staleFallbackTimeout = .milliseconds(1)
        configuration.failureDuration = .zero
        configuration.pause = { _ in }
        configuration.encodedCostLimit = 0
        return ImagePipeline(configuration)
    }

    private static func request(_ numbers: Numbers) throws -> ImageRequest {
        let text = "https://host\(numbers.next(below: 3)).test/\(numbers.next(below: 6)).fake"
        var request = ImageRequest(url: try #require(URL(string: text)))
        if numbers.next(below: 2) == 0 {
            request.decoding.target = .fit(width: 10 + numbers.next(below: 3))
        }
        if numbers.next(below: 2) == 0 { request.httpCaching = .respectsHTTP }
        if numbers.next(below: 3) == 0 { request.encoding = numbers.next(below: 2) == 0 ? .png : .jpeg() }
        request.waitsForStore = numbers.next(below: 4) == 0
        if numbers.next(below: 6) == 0 { request.cachePolicy.original = .writeOnly }
        request.cachePolicy.alwaysRevalidates = numbers.next(below: 6) == 0
        return request
    }

    @Test(arguments: 0..<8) func `after any mixture of loads nothing is held`(seed: Int) async throws {
        let numbers = Numbers(seed: seed)
        let pipeline = pipeline(numbers)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<600 {
            let (request, isData) = (try Self.request(numbers), numbers.next(below: 2) == 0)
            let task = Task {
                if isData {
                    _ = try await pipeline.data(for: request)
                } else {
                    _ = try await pipeline.image(for: request)
                }
            }
            tasks.append(task)
            if numbers.next(below: 3) == 0 {
                let delay = numbers.next(below: 200)
                Task {
                    for _ in 0..<delay { await Task.yield() }
                    task.cancel()
                }
            }
            for _ in 0..<numbers.next(below: 10) { await Task.yield() }
            if numbers.next(below: 20) == 0 { time.advance(by: .seconds(30)) }
        }
        for task in tasks { _ = await task.result }
        await pipeline.untilIdle()
        // Tasks that were cancelled may just be leaving.
        for _ in 0..<100_000 where held(by: pipeline).contains(where: { $0.value > 0 }) { await Task.yield() }
        #expect(held(by: pipeline).filter { $0.value > 0 } == [:])
    }

    private func held(by pipeline: ImagePipeline) -> [String: Int] {
        let (stages, workload) = (pipeline.stages.limits, pipeline.workload)
        return [
            "fetching": stages.fetching.heldByteCount, "stored": stages.stored.heldByteCount,
            "validating": stages.validating.heldByteCount, "writing": stages.writing.heldByteCount,
            "reading": stages.reading.runningCount, "variantReading": stages.variantReading.runningCount,
            "codecs": stages.codecCount, "waitingCodecs": stages.waitingCodecCount,
            "waitingBodies": stages.fetching.waitingCount, "waitingStored": stages.stored.waitingCount,
            "places": workload.runningCount, "waiting": workload.waitingCount,
            "pixels": workload.heldByteCount,
        ]
    }
}

/// A sequence of numbers that depends on its seed and on the order of its callers.
private final class Numbers: Sendable {
    private let state: SharedState<UInt64>

    init(seed: Int) {
        state = SharedState(UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    }

    /// The next one by SplitMix64 (Steele, Lea and Flood, 2014).
    func next(below bound: Int) -> Int {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((value ^ value >> 31) % UInt64(bound))
        }
    }
}
