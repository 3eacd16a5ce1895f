import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct IntermediateTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))
    private let first = CountedInvert()
    private let second = CountedInvert(name: "b")

    private func bench(
        _ script: @escaping @Sendable (Data, FetchRequest) async -> FetchResponse = { .network($1.url, $0) }
    ) throws -> PipelineBench {
        let data = try PNGEncoder().encode(Self.photograph)
        return PipelineBench { request, _ in await script(data, request) }
    }

    private func request(_ bench: PipelineBench, _ transforms: TransformChain) -> ImageRequest {
        bench.request { $0.transforms = transforms }
    }

    @Test func `a chain continues from the resident result of its first transforms`() async throws {
        let bench = try bench()
        let (short, long) = (TransformChain(first), TransformChain(steps: [first, second]))
        _ = try await bench.pipeline.image(for: request(bench, short))
        let loaded = try await bench.pipeline.load(request(bench, long))
        #expect((first.count.value, second.count.value) == (1, 1))
        #expect(loaded.source == .memory)
        #expect(loaded.image.rgba8() == Self.photograph.rgba8(), "turned around twice")
        #expect(try await bench.pipeline.load(request(bench, long)).image === loaded.image, "it was kept")
    }

    @Test func `a chain waits for the running load of its first transforms and shares its result`()
        async throws
    {
        let (gate, reached) = (AsyncGate(), AsyncGate())
        let bench = try bench { data, request in
            reached.open()
            await gate.wait()
            return .network(request.url, data)
        }
        let short = Task { try await bench.pipeline.image(for: request(bench, TransformChain(first))) }
        await reached.wait()
        let chain = TransformChain(steps: [first, second])
        let long = Task { try await bench.pipeline.image(for: request(bench, chain)) }
        while bench.pipeline.loads.variants.waiterCount < 3 { await Task.yield() }
        gate.open()
        _ = try await (short.value, long.value)
        #expect((first.count.value, second.count.value) == (1, 1))
    }

    @Test func `the timeout of a call does not end another call that waits for the same first transforms`()
        async throws
    {
        let (gate, reached) = (AsyncGate(), AsyncGate())
        let bench = try bench { data, request in
            reached.open()
            await gate.wait()
            return .network(request.url, data)
        }
        let short = Task { try await bench.pipeline.image(for: request(bench, TransformChain(first))) }
        await reached.wait()
        let chain = TransformChain(steps: [first, second])
        let impatient = Task {
            var request = request(bench, chain)
            request.timeout = .milliseconds(500)
            return try await bench.pipeline.image(for: request)
        }
        // The work is that of the first call, and waits for the first transforms itself.
        _ = await AdmissionBench.eventually { bench.pipeline.loads.variants.waiterCount == 3 }
        let patient = Task { try await bench.pipeline.image(for: request(bench, chain)) }
        await #expect(throws: LoadError.self) { try await impatient.value }
        gate.open()
        _ = try await (short.value, patient.value)
    }

    @Test func `the result of the first transforms is not reused if it was decoded at another size`()
        async throws
    {
        let bench = try bench()
        let large = TransformChain.resize(toFit: PixelSize(width: 100, height: 100))
        let small = TransformChain.resize(toFit: PixelSize(width: 50, height: 50))
        let crop = TransformChain.crop(to: PixelRect(x: 10, y: 10, width: 100, height: 60))
        for (short, long) in [(crop, crop.appending(small)), (large, large.appending(small))] {
            _ = try await bench.pipeline.image(for: request(bench, short))
            let shared = try await bench.pipeline.image(for: request(bench, long))
            let alone = try await self.bench().pipeline.image(for: request(bench, long))
            #expect(shared.rgba8() == alone.rgba8(), "the same pixels, whatever memory has")
        }
    }

    @Test func `a result made from an evicted intermediate is not cached`() async throws {
        let bench = try bench()
        let pipeline = bench.pipeline
        let origin = Cacheability.Intermediate("gone", Self.photograph)
        let cacheability = Cacheability(intermediate: origin)
        let source = PipelineBench.url.absoluteString
        let memory = pipeline.cache.memory
        pipeline.stages.sources.keep(
            Self.photograph,
            forKey: "a",
            cost: 1,
            cacheability,
            source: source,
            in: memory
        )
        #expect(pipeline.cache.residentImage(for: "a") == nil)
    }
}
