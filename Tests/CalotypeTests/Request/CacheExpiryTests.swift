import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// The expiry that a request sets for its cached images.
@Suite(.gated) struct CacheExpiryTests {
    private let instant = ManualInstant()

    private func memory(_ expiry: Expiry = .never) -> ImageCache.Memory {
        let clock = MemoryClock(now: { [instant] in instant.now }, wake: { _, _ in 0 }, cancel: { _ in })
        return ImageCache.Memory(costLimit: 1 << 20, expiry: expiry, clock: clock)
    }

    private func bench(_ stores: [any ByteStore] = [], memory: ImageCache.Memory) -> PipelineBench {
        PipelineBench(
            { $0.cache = ImageCache(memory: memory, stores: stores, codecs: $0.cache.codecs) },
            answer: { request, _ in .network(request.url, FakeImageDecoder.data(width: 4, height: 3)) }
        )
    }

    @Test func `the expiry of a request overrides that of the disk cache`() async throws {
        let (folder, time) = (try ScratchFolder(), ManualTimeSource())
        let settings = DiskSettings(expiry: .days(7))
        var configuration = DiskCache.Configuration(root: folder.path, settings: settings)
        configuration.timeSource = time
        let disk = try DiskCache(configuration)
        let bench = bench([disk], memory: memory())
        let load: ((inout ImageRequest) -> Void) async throws -> LoadedImage.Source = { change in
            bench.pipeline.cache.removeAllFromMemory()
            return try await bench.pipeline.load(bench.request(change)).source
        }
        #expect(try await load { $0.expiry.disk = .days(1) } == .network)
        time.advance(by: .hours(23))
        #expect(try await load { _ in } == .disk)
        time.advance(by: .hours(1))
        #expect(try await load { $0.expiry.disk = .never } == .network)
        time.advance(by: .days(1_000))
        #expect(try await load { _ in } == .disk)
        try await bench.pipeline.shutdown()
    }

    @Test func `the expiry of a request overrides that of the memory cache`() async throws {
        let bench = bench(memory: memory(.afterWrite(.minutes(5))))
        _ = try await bench.pipeline.load(bench.request { $0.expiry.memory = .afterWrite(.seconds(10)) })
        #expect(bench.pipeline.residentImage(for: bench.request()) != nil)
        instant.advance(by: .seconds(10))
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil)
        _ = try await bench.pipeline.load(bench.request())
        instant.advance(by: .seconds(299))
        #expect(bench.pipeline.residentImage(for: bench.request()) != nil)
        instant.advance(by: .seconds(1))
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil, "as the cache says")
    }

    @Test func `a request has no expiry by default`() {
        #expect(ImageRequest(url: PipelineBench.url).expiry == CacheExpiry())
        #expect(CacheExpiry().memory == nil && CacheExpiry().disk == nil)
    }
}
