import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import Testing

@testable import Calotype

/// Pipelines with two codec threads and no memory cache, and requests by host and number, for tests of
/// permits and budgets.
enum AdmissionBench {
    static func configuration(
        _ decoder: some ImageDecoder,
        stores: [any ByteStore] = [],
        _ loader: any DataLoader
    ) -> ImagePipeline.Configuration {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: 0),
            stores: stores,
            codecs: codecs,
            maxDecodeConcurrency: 2
        )
        return ImagePipeline.Configuration(cache: cache, loader: loader).patient
    }

    static func request(_ host: String, _ number: Int = 0, width: Int? = nil) throws -> ImageRequest {
        var request = ImageRequest(url: try #require(URL(string: "https://\(host)/\(number).fake")))
        if let width { request.decoding.target = .fit(width: width) }
        return request
    }

    /// True if a condition holds within many turns of the process's threads.
    static func eventually(_ condition: () async -> Bool) async -> Bool {
        for _ in 0..<200_000 {
            if await condition() { return true }
            await Task.yield()
        }
        return false
    }
}
