import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Concurrent calls of every kind over a loader that stalls, aborts and fails: each ends exactly once.
///
/// A continuation resumed twice stops the process; one never resumed is found by the time limit.
@Suite(.gated)
struct `A pipeline under stress` {
    // The literal is a URL.
    private static let base = URL(string: "https://example.org")!

    private struct Bench {
        let loader = StressLoader()
        let counter = EndCounter()
        let store = FakeByteStore()
        let pipeline: ImagePipeline

        init() {
            var codecs = CodecRegistry.standard
            codecs.register(FakeImageDecoder())
            pipeline = ImagePipeline(
                .init(
                    cache: ImageCache(stores: [store], codecs: codecs),
                    loader: loader,
                    observers: [counter]
                ).patient
            )
        }

        /// Waits until all started calls have ended, and checks that nothing is left.
        func expectRest(after callCount: Int) async {
            // An abandoned sequence of events ends by itself, a little later than its consumer.
            while counter.counts.all < callCount { await Task.yield() }
            await pipeline.untilIdle()
            #expect(counter.counts.all == callCount)
            #expect(pipeline.waiterCount == 0)
            while loader.openCount > 0 { await Task.yield() }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `every call ends once with the outcome of its page, under any cancellations`(seed: UInt64)
        async throws
    {
        let bench = Bench()
        var random = SeededGenerator(seed: seed)
        let calls = (0..<1_500).map { _ in StressCall(&random, pages: 3) }
        let ends = await withTaskGroup(of: StressCall.End.self) { group in
            for call in calls { group.addTask { await call.run(Self.base, bench.pipeline) } }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        await bench.expectRest(after: calls.count)
        #expect(ends[.value, default: 0] > 100, "seed \(seed): \(ends)")
        #expect(ends[.cancelled, default: 0] > 100, "seed \(seed): \(ends)")
        try await expectStoredBytesAreRight(bench)
        try await bench.pipeline.shutdown()
    }

    @Test(arguments: UInt64(10)..<22)
    func `a shutdown ends every running call, and later ones too`(seed: UInt64) async throws {
        let bench = Bench()
        var random = SeededGenerator(seed: seed)
        let calls = (0..<120).map { _ in StressCall(&random, pages: 2, cancellationPercentage: 20) }
        let callCountBefore = Int.random(in: 0..<120, using: &random)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, call) in calls.enumerated() {
                if index == callCountBefore {
                    group.addTask { try await bench.pipeline.shutdown() }
                }
                group.addTask {
                    _ = await call.run(Self.base, bench.pipeline, allowing: ["closed", "cancelled"])
                }
            }
            try await group.waitForAll()
        }
        await bench.expectRest(after: calls.count)
        #expect(bench.store.isClosed)
    }

    @Test func `a shut-down pipeline is not retained by its own tasks`() async throws {
        weak var pipeline: ImagePipeline?
        do {
            let bench = Bench()
            pipeline = bench.pipeline
            var random = SeededGenerator(seed: 30)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    let call = StressCall(&random, pages: 2)
                    group.addTask { _ = await call.run(Self.base, bench.pipeline) }
                }
            }
            try await bench.pipeline.shutdown()
        }
        // The last task may still be ending.
        while pipeline != nil { await Task.yield() }
    }

    /// Each stored entry matches its URL and credentials.
    private func expectStoredBytesAreRight(_ bench: Bench) async throws {
        var bodies: [String: Data] = [:]
        for kind in [StressPage.Kind.whole, .chunked, .redirect] {
            for index in 0..<3 {
                let page = StressPage(kind: kind, index: index)
                for credentials in StressPage.credentials {
                    var request = ImageRequest(url: Self.base.appending(path: page.path))
                    request.headers = credentials.map { [HeaderField("Authorization", $0)] } ?? []
                    let key = try await bench.pipeline.originalKey(for: request).rawValue
                    bodies[key] = page.body(credentials)
                }
            }
        }
        for (key, body) in bodies {
            let stored = try await bench.store.blob(forKey: key)
            #expect(stored == nil || stored?.data == body, "\(key)")
        }
        // Variants are stored beside originals; failing pages have no entry.
        let strangers = bench.store.keys.filter { key in !bodies.keys.contains { key.hasPrefix($0) } }
        #expect(strangers == [])
    }
}
