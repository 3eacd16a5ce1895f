import Calotype
import CalotypeTesting
import CountedWork
import Foundation

/// Does the same thing a number of times.
typealias Body = @Sendable (_ count: Int) async throws -> Void

extension CountedWork {
    /// The bytes of each entry.
    var byteCount: Int { 20_000 }

    /// The work, with what it needs; done on the cooperative pool, as programs do.
    func body() async throws -> Body {
        let body =
            switch self {
            case .memoryHitAllocations, .residentImageAllocations, .pipelineHitAllocations:
                try await pipelineBody()
            case .diskHitAllocations, .diskHitBuffers, .diskHitCalls, .diskMissCalls, .diskStoreCalls:
                try await diskBody()
            }
        return { count in try await Task.detached { try await body(count) }.value }
    }

    private func pipelineBody() async throws -> Body {
        let memory = ImageCache.Memory(pressureSource: nil)
        let cache = ImageCache(memory: memory)
        let pipeline = ImagePipeline(.init(cache: cache, loader: StubDataLoader([:])))
        let image = TestImages.photograph(PixelSize(width: 16, height: 16))
        let requests = (0..<256).compactMap { index in
            URL(string: "https://images.example.org/albums/2026/photo-\(1_000 + index).jpeg")
                .map { ImageRequest(url: $0) }
        }
        var keys: [ImageKey] = []
        for request in requests { keys.append(try await pipeline.key(for: request)) }
        for key in keys { try await cache.store(image, for: key, in: [.memory]) }
        return { [keys] count in
            for index in 0..<count {
                let isFound =
                    switch self {
                    case .residentImageAllocations:
                        pipeline.residentImage(for: requests[index & 255]) != nil
                    case .pipelineHitAllocations:
                        try await pipeline.image(for: requests[index & 255]) === image
                    default:
                        memory[keys[index & 255]] != nil
                    }
                precondition(isFound, "what is counted is a hit")
            }
        }
    }

    private func diskBody() async throws -> Body {
        let folder = try ScratchFolder()
        let cache = try await DiskCache.open(DiskCache.Configuration(root: folder.path))
        let keys = (0..<512).map { index in
            "https://images.example.org/albums/2026/photo-\(1_000 + index).jpeg"
        }
        var random = SeededGenerator(seed: 1)
        let data = Data((0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let isStored = self == .diskStoreCalls
        let stored = self == .diskMissCalls ? ["another"] : keys
        for key in stored { try await cache.store(data, forKey: key) }
        // From the first hit on the cache knows how its file system may be read, and once it knows what it
        // holds it has nothing to do but what is counted.
        _ = try await cache.blob(forKey: stored[0])
        _ = try await cache.usage()
        return { count in
            // The folder goes with the last reference.
            defer { withExtendedLifetime(folder) {} }
            for index in 0..<count {
                if isStored {
                    try await cache.store(data, forKey: keys[index & 511])
                } else {
                    let blob = try await cache.blob(forKey: keys[index & 511])
                    precondition((blob == nil) == (self == .diskMissCalls), "hits and misses are as expected")
                }
            }
        }
    }
}
