import Calotype
import CalotypeTesting
import Foundation
import Synchronization

/// Many requests for one URL at once.
enum CoalescingRows {
    static let all = [downloads, decodes, results, time]

    private static let requestCount = 1_000

    private static let downloads = Row(
        "pipeline-coalescing-downloads",
        "1,000 requests for one URL at once: downloads",
        counted: .count,
        .valueAtMost(1)
    ) { Figures(ours: Double(try await crowd().downloadCount)) }

    private static let decodes = Row(
        "pipeline-coalescing-decodes",
        "1,000 requests for one URL at once: decodes",
        counted: .count,
        .valueAtMost(1)
    ) { Figures(ours: Double(try await crowd().decodeCount)) }

    private static let results = Row(
        "pipeline-coalescing-results",
        "1,000 requests for one URL at once: results that are the same image",
        counted: .count,
        .valueAtLeast(Double(requestCount))
    ) { Figures(ours: Double(try await crowd().equalCount)) }

    /// The time of each request; the baseline is a task of the same work that as many tasks wait for.
    private static let time = Row(
        "pipeline-coalescing",
        "1,000 requests for one URL at once, each; as many tasks that wait for one",
        in: .microseconds
    ) {
        let origin = try Origin()
        let prepare: Work = { _ in origin.pipeline.cache.removeAllFromMemory() }
        return Contest(
            ours: Side(minCount: requestCount, maxCount: requestCount, prepare: prepare) { count in
                try await together(count) { try await origin.pipeline.image(for: origin.request) }
            },
            baseline: Side(minCount: requestCount, maxCount: requestCount) { count in
                let shared = Task { try origin.codecs.decode(origin.data) }
                try await together(count) { try await shared.value }
            }
        )
    }

    private static func together(
        _ count: Int,
        _ body: @escaping @Sendable () async throws -> Image
    ) async throws {
        try await withThrowingTaskGroup(of: Image.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            for try await image in group { use(image) }
        }
    }

    /// Makes a thousand requests, none of which gets its result before all have been made.
    private static func crowd() async throws -> (downloadCount: Int, decodeCount: Int, equalCount: Int) {
        let origin = try Origin(crowd: requestCount)
        let images = try await withThrowingTaskGroup(of: Image.self) { group in
            for _ in 0..<requestCount {
                group.addTask {
                    origin.loader.noteRequest()
                    return try await origin.pipeline.image(for: origin.request)
                }
            }
            return try await group.reduce(into: [Image]()) { $0.append($1) }
        }
        let decodeCount = origin.decoder.decodeCount.load(ordering: .relaxed)
        let downloadCount = origin.loader.downloadCount.load(ordering: .relaxed)
        return (downloadCount, decodeCount, images.count { $0 === images[0] })
    }

    /// A pipeline over one small JPEG.
    private struct Origin: Sendable {
        let request: ImageRequest = "https://images.example.org/albums/2026/photo.jpeg"
        let data: Data
        let loader: CountingLoader
        let decoder = CountingDecoder()
        let codecs: CodecRegistry
        let pipeline: ImagePipeline

        init(crowd: Int = 0) throws {
            data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 320, height: 240)))
            loader = CountingLoader(data, crowd: crowd)
            var codecs = CodecRegistry.standard
            codecs.register(decoder)
            self.codecs = codecs
            pipeline = ImagePipeline(.init(cache: ImageCache(codecs: codecs), loader: loader))
        }
    }

    /// Answers with the same bytes, once as many requests have been noted as make a crowd.
    private final class CountingLoader: DataLoader {
        let downloadCount = Atomic(0)
        private let data: Data
        private let isFull = AsyncGate()
        private let missingCount: Atomic<Int>

        init(_ data: Data, crowd: Int) {
            self.data = data
            missingCount = Atomic(crowd)
            if crowd == 0 { isFull.open() }
        }

        func noteRequest() {
            if missingCount.subtract(1, ordering: .relaxed).newValue == 0 { isFull.open() }
        }

        func response(for request: FetchRequest) async throws -> FetchResponse {
            downloadCount.add(1, ordering: .relaxed)
            await isFull.wait()
            return FetchResponse(origin: .network, url: request.url, body: FetchBody(data))
        }
    }

    private final class CountingDecoder: ImageDecoder {
        let decodeCount = Atomic(0)
        private let decoder = JPEGDecoder()

        var formats: [ImageFormat] { decoder.formats }

        func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
            try decoder.info(of: data, limits: limits)
        }

        func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
            decodeCount.add(1, ordering: .relaxed)
            return try decoder.decode(data, options: options)
        }
    }
}
