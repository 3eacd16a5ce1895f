import Calotype
import CalotypeTesting
import Foundation

/// Main memory that images use.
enum ImageMemoryRows {
    static let all = [small, large]
    static let probes = [smallProbe, largeProbe]

    private static let small = Row(
        "image-memory",
        "resident memory of 300 cached images of 400 × 300; their pixels",
        counted: .megabytes,
        .ratioAtMost(1.1)
    ) { try figures(smallProbe) }

    private static let large = Row(
        "image-memory-large",
        "resident memory of 6 cached images of 12 MP; their pixels",
        counted: .megabytes,
        .ratioAtMost(1.1)
    ) { try figures(largeProbe) }

    private static let smallProbe = MemoryProbe(name: "image-memory") { _ in
        try await growth(count: 300, size: PixelSize(width: 400, height: 300))
    }

    private static let largeProbe = MemoryProbe(name: "image-memory-large") { _ in
        try await growth(count: 6, size: PixelSize(width: 4_000, height: 3_000))
    }

    private static func figures(_ probe: MemoryProbe) throws -> Figures {
        let figures = try probe.run()
        guard figures.count == 2 else { throw Skipped("two figures were expected") }
        return Figures(ours: figures[0], baseline: figures[1])
    }

    /// By how much resident memory grows when images are loaded into the memory cache, and the bytes of their
    /// pixels.
    private static func growth(count: Int, size: PixelSize) async throws -> [Int] {
        let data = try JPEGEncoder().encode(TestImages.photograph(size))
        let urls = try (0...count).map { index in
            guard let url = URL(string: "https://images.example.org/albums/2026/photo-\(index).jpeg") else {
                throw Skipped("no URL")
            }
            return url
        }
        let loader = StubDataLoader(Dictionary(uniqueKeysWithValues: urls.map { ($0, .data(data)) }))
        let cache = ImageCache(memory: ImageCache.Memory(costLimit: .max, pressureSource: nil))
        let pipeline = ImagePipeline(.init(cache: cache, loader: loader))
        // The first image also has one-time costs.
        _ = try await pipeline.image(for: ImageRequest(url: urls[0]))
        let (before, costBefore) = (try ProcessMemory.resident(), cache.statistics.memory.cost)
        for url in urls.dropFirst() { _ = try await pipeline.image(for: ImageRequest(url: url)) }
        let (after, cost) = (try ProcessMemory.resident(), cache.statistics.memory.cost)
        return [after - before, cost - costBefore]
    }
}
