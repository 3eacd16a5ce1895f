import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated)
struct `A pipeline under stress over HTTP` {
    @Test(arguments: [UInt64(1), 2])
    func `every call ends once with the outcome of its page, under any cancellations`(seed: UInt64)
        async throws
    {
        try await HTTPBench.with(origin: LoopbackOrigin.answerAsPages()) { bench async throws in
            var random = SeededGenerator(seed: seed)
            let calls = (0..<400).map { _ in StressCall(&random, pages: 2) }
            let base = bench.origin.url("")
            let ends = await withTaskGroup(of: StressCall.End.self) { group in
                for call in calls { group.addTask { await call.run(base, bench.pipeline) } }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            await bench.pipeline.untilIdle()
            #expect(bench.pipeline.waiterCount == 0)
            #expect(ends[.value, default: 0] > 50, "seed \(seed): \(ends)")
            #expect(ends[.cancelled, default: 0] > 50, "seed \(seed): \(ends)")
        }
    }

    @Test func `a shutdown ends every running call and connection`() async throws {
        for seed in UInt64(10)..<14 {
            try await HTTPBench.with(origin: LoopbackOrigin.answerAsPages()) { bench async throws in
                var random = SeededGenerator(seed: seed)
                let calls = (0..<60).map { _ in StressCall(&random, pages: 2, cancellationPercentage: 0) }
                let base = bench.origin.url("")
                await withTaskGroup(of: Void.self) { group in
                    for call in calls {
                        group.addTask {
                            _ = await call.run(base, bench.pipeline, allowing: ["closed", "cancelled"])
                        }
                    }
                    await bench.origin.activity.until { $0.requests.count > 5 }
                    await #expect(throws: Never.self) { try await bench.pipeline.shutdown() }
                }
                await bench.origin.activity.until { $0.openCount == 0 }
            }
        }
    }

    @Test func `a thousand requests for ten sizes cause one fetch and at most ten decodes`() async throws {
        let picture = FakeImageDecoder.data(width: 400, height: 300)
        try await HTTPBench.with(origin: { _ in .body(picture) }) { bench async throws in
            let images = try await withThrowingTaskGroup(of: (Int, Image).self) { group in
                for number in 0..<1_000 {
                    let width = 40 * (number % 10 + 1)
                    let request = bench.request("/a.fake") {
                        $0.decoding.target = .fit(PixelBox(width: width))
                    }
                    group.addTask { (width, try await bench.pipeline.image(for: request)) }
                }
                return try await group.reduce(into: [Int: [Image]]()) { $0[$1.0, default: []].append($1.1) }
            }
            #expect(images.count == 10)
            for (width, images) in images {
                #expect(images.count == 100)
                #expect(images.allSatisfy { $0.size == PixelSize(width: width, height: width * 3 / 4) })
                #expect(Set(images.map { $0.rgba8() }).count == 1)
            }
            #expect(bench.decoder.decodeCount <= 10)
            #expect(await bench.origin.activity.snapshot.requests.count == 1)
        }
    }
}
