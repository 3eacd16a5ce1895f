package import Calotype
package import CalotypeTesting
import FoundationEssentials
package import LoopbackOrigin

/// A pipeline over HTTP with a cache directory, which also decodes the format of ``FakeImageDecoder``.
package struct HTTPBench: Sendable {
    package let origin: LoopbackOrigin
    package let decoder: FakeImageDecoder
    package let pipeline: ImagePipeline

    /// Runs a test with an origin and a pipeline, and closes both afterwards.
    ///
    /// - Parameters:
    ///   - folder: The cache directory; by default a new one.
    ///   - change: Changes the configuration of the HTTP loader.
    ///   - handler: The handler of the origin.
    ///   - body: The test.
    /// - Throws: The error of the test.
    package static func with(
        _ folder: ScratchFolder? = nil,
        http change: (inout HTTPDataLoader.Configuration) -> Void = { _ in },
        origin handler: @escaping LoopbackOrigin.Handler,
        _ body: (HTTPBench) async throws -> Void
    ) async throws {
        let folder = try folder ?? ScratchFolder()
        let origin = try await LoopbackOrigin.start(handler)
        var http = HTTPDataLoader.Configuration.patient
        change(&http)
        let decoder = FakeImageDecoder()
        let disk = try DiskCache(DiskCache.Configuration(root: folder.path))
        let memory = ImageCache.Memory(pressureSource: nil)
        let cache = ImageCache(memory: memory, stores: [disk], codecs: codecs(with: decoder))
        let bench = HTTPBench(
            origin: origin,
            decoder: decoder,
            pipeline: ImagePipeline(.init(cache: cache, loader: RoutingLoader.standard(http)).patient)
        )
        do {
            try await body(bench)
        } catch {
            try await bench.close()
            throw error
        }
        try await bench.close()
    }

    /// The standard formats and the fake one.
    package static func codecs(with decoder: FakeImageDecoder = FakeImageDecoder()) -> CodecRegistry {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        return codecs
    }

    /// A request for a path that ends after its entry is written to the store.
    package func request(_ path: String, _ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: origin.url(path), waitsForStore: true)
        change(&request)
        return request
    }

    private func close() async throws {
        try await pipeline.shutdown()
        // Idle connections are also closed by now, or will be at once.
        await origin.activity.until { $0.openCount == 0 }
        await origin.close()
    }
}

extension HTTPDataLoader.Configuration {
    /// The defaults, with timeouts for a machine that runs every test at the same time.
    package static var patient: Self {
        var configuration = Self()
        configuration.connectTimeout = .seconds(120)
        configuration.idleTimeout = .seconds(180)
        configuration.totalTimeout = .seconds(300)
        return configuration
    }
}
