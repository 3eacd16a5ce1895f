import Calotype
import CalotypeTesting
import Foundation

/// Hits in memory through the pipeline.
enum HitRows {
    static let all = [hit, hitAgainstCache, hitFromString]

    /// The requests of hit measurements: 10,000 whose images are in memory, in random order.
    private struct Entries: Sendable {
        let texts = (0..<10_000).map { index in
            "https://images.example.org/albums/2026/photo-\(100_000_000 + index).jpeg"
        }
        let requests: [ImageRequest]
        let keys: [ImageKey]
        let memory: ImageCache.Memory
        let pipeline: ImagePipeline
        private let order: [Int]

        init() async throws {
            var random = SeededGenerator(seed: 1)
            order = (0..<1 << 16).map { _ in Int.random(in: 0..<10_000, using: &random) }
            let image = TestImages.photograph(PixelSize(width: 16, height: 16))
            memory = ImageCache.Memory(costLimit: .max, pressureSource: nil)
            let cache = ImageCache(memory: memory)
            pipeline = ImagePipeline(
                .init(cache: cache, loader: RoutingLoader([.https: StubDataLoader([:])]))
            )
            requests = try texts.map { ImageRequest(url: try Self.url($0)) }
            var keys: [ImageKey] = []
            for request in requests {
                keys.append(try await pipeline.key(for: request))
                try await cache.store(image, for: keys[keys.endIndex - 1], in: [.memory])
            }
            self.keys = keys
        }

        func index(_ step: Int) -> Int { order[step & 0xFFFF] }

        static func url(_ text: String) throws -> URL {
            guard let url = URL(string: text) else { throw Skipped("\(text) is no URL") }
            return url
        }

        var hits: Work {
            { count in
                for step in 0..<count { use(try await pipeline.image(for: requests[index(step)])) }
            }
        }
    }

    private static let hit = Row(
        "pipeline-memory-hit",
        "memory hit, await image(for:); residentImage(for:)",
        in: .microseconds,
        .differenceAtMost(3)
    ) {
        let entries = try await Entries()
        return Contest(ours: entries.hits) { count in
            for step in 0..<count {
                use(entries.pipeline.residentImage(for: entries.requests[entries.index(step)]))
            }
        }
    }

    private static let hitAgainstCache = Row(
        "pipeline-memory-hit-cache",
        "memory hit, await image(for:); the memory cache's own, key prepared",
        in: .microseconds
    ) {
        let entries = try await Entries()
        return Contest(ours: entries.hits) { count in
            for step in 0..<count { use(entries.memory[entries.keys[entries.index(step)]]) }
        }
    }

    private static let hitFromString = Row(
        "pipeline-memory-hit-string",
        "memory hit, await image(for:) of a request made of its URL's text; URL(string:) alone",
        in: .microseconds
    ) {
        let entries = try await Entries()
        return Contest(
            ours: { count in
                for step in 0..<count {
                    let request = ImageRequest(url: try Entries.url(entries.texts[entries.index(step)]))
                    use(try await entries.pipeline.image(for: request))
                }
            },
            baseline: { count in
                for step in 0..<count { use(try Entries.url(entries.texts[entries.index(step)])) }
            }
        )
    }
}
