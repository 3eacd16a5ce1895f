import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Images put into memory while their source changes.
@Suite(.gated) struct ResidentImageTests {
    @Test func `an older image that is just being put into memory is not taken for the new content`()
        async throws
    {
        let memory = HookedMemory()
        let bench = PipelineBench(store: false) {
            $0.cache = ImageCache(memory: memory, codecs: $0.cache.codecs)
        } answer: { request, _ in
            let data = FakeImageDecoder.data(width: 80, height: 40)
            return .network(request.url, data, ["Cache-Control": "max-age=100000"])
        }
        let request = bench.request(width: 20) { $0.httpCaching = .respectsHTTP }
        let identity = try await bench.pipeline.stages.identity(of: request)
        // The end of an earlier load of other content, which does not know the content of its source.
        let sources = bench.pipeline.stages.sources
        let ticket = bench.pipeline.cache.beginLoad(of: identity.key)
        let old = try FakeImageDecoder().decode(
            FakeImageDecoder.data(width: 5, height: 5),
            options: DecodeOptions()
        )
        let (pool, ended) = (BlockingPool(width: 1), AsyncGate())
        pool.enqueue {
            sources.keep(
                old,
                forKey: identity.key,
                cost: 1,
                Cacheability(ticket: ticket),
                source: identity.source,
                in: memory
            )
            ended.open()
        }
        await memory.reached.wait()
        #expect(try await bench.pipeline.load(request).image.size.width == 20)
        memory.mayEnd.open()
        await ended.wait()
        #expect(try await bench.pipeline.load(request).image.size.width == 20)
    }
}

/// Memory whose first insertion happens during the next removal, and ends when a gate is opened.
private final class HookedMemory: MemoryLevel {
    let base = ImageCache.Memory(pressureSource: nil)
    let reached = AsyncGate()
    let mayEnd = BlockingGate()
    private let (mayInsert, hasInserted) = (BlockingGate(), BlockingGate())
    private let insertionCount = SharedState(0)

    func value(forKey key: ImageKey) -> Image? { base.value(forKey: key) }

    func insert(_ value: Image, forKey key: ImageKey, cost: Int, expiry: Expiry?) -> Insertion {
        let number = insertionCount.withLock { count in
            count += 1
            return count
        }
        guard number == 1 else { return base.insert(value, forKey: key, cost: cost, expiry: expiry) }
        reached.open()
        mayInsert.wait()
        let insertion = base.insert(value, forKey: key, cost: cost, expiry: expiry)
        hasInserted.open()
        mayEnd.wait()
        return insertion
    }

    func removeValue(forKey key: ImageKey) -> Image? { base.removeValue(forKey: key) }

    func removeAll() { base.removeAll() }

    func removeAll(where isRemoved: (ImageKey) -> Bool) {
        base.removeAll(where: isRemoved)
        mayInsert.open()
        hasInserted.wait()
    }
}
