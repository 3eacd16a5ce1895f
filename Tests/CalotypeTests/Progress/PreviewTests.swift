import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestTraits
import Testing

@testable import Calotype

@Suite(.blocking) struct PreviewTests {
    private static let picture = TestPictures.photograph(PixelSize(width: 400, height: 300))

    private static func files() throws -> [(name: String, data: Data)] {
        [
            ("progressive JPEG", try JPEGEncoder(isProgressive: true).encode(picture)),
            ("baseline JPEG", try JPEGEncoder(isProgressive: false).encode(picture)),
            ("PNG", try PNGEncoder().encode(picture)),
            ("WebP", try WebPEncoder().encode(picture)),
        ]
    }

    @Test func `previews come while bytes arrive, and are never cached nor taken for the whole`() async throws
    {
        for file in try Self.files() {
            let body = PacedBody()
            let bench = PipelineBench { request, _ in
                FetchResponse(
                    origin: .network,
                    url: request.url,
                    expectedByteCount: file.data.count,
                    body: body.body
                )
            }
            var events = bench.pipeline.events(for: bench.request(width: 200)).makeAsyncIterator()
            body.send(file.data.prefix(file.data.count * 3 / 4))
            let preview = try await nextPreview(&events)
            #expect(preview?.size == PixelSize(width: 200, height: 150), "\(file.name)")
            #expect(bench.pipeline.cache.statistics.memory.count == 0)
            #expect(bench.pipeline.residentImage(for: bench.request(width: 200)) == nil)
            body.send(file.data.dropFirst(file.data.count * 3 / 4))
            body.finish()
            var result: Image?
            while let event = try await events.next() {
                if case .finished(let loaded) = event { result = loaded.image }
            }
            let options = DecodeOptions(target: .fit(PixelBox(width: 200)))
            let whole = try CodecRegistry.standard.decode(file.data, options: options)
            #expect(result?.rgba8() == whole.rgba8(), "\(file.name)")
        }
    }

    @Test func `previews go to everybody who looks on, and are made once`() async throws {
        let data = try JPEGEncoder(isProgressive: true).encode(Self.picture)
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        let request = bench.request()
        let tasks = (0..<2).map { _ in
            Task {
                var events = bench.pipeline.events(for: request).makeAsyncIterator()
                return try await nextPreview(&events)
            }
        }
        while bench.pipeline.variants.waiterCount < 2 { await Task.yield() }
        body.send(data.prefix(data.count / 2))
        let (first, second) = (try await tasks[0].value, try await tasks[1].value)
        #expect(first != nil && first === second)
    }

    @Test func `who does not want previews gets none`() async throws {
        let data = try JPEGEncoder(isProgressive: true).encode(Self.picture)
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        body.send(data)
        body.finish()
        for try await event in bench.pipeline.events(for: bench.request(), previews: false) {
            if case .preview = event { Issue.record("a preview") }
        }
    }

    @Test func `bytes that are no image lead to no preview and to the error of the decode`() async throws {
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        body.send(Data(repeating: 60, count: 1_000))
        body.finish()
        let error = try await #require(throws: LoadError.self) {
            for try await event in bench.pipeline.events(for: bench.request()) {
                if case .preview = event { Issue.record("a preview") }
            }
        }
        #expect(error.codeLabel == "unrecognizedFormat")
    }

    @Test func `bytes of a source that failed do not get into the preview of the next`() async throws {
        let data = try JPEGEncoder(isProgressive: false).encode(Self.picture)
        let body = PacedBody()
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                return FetchResponse(origin: .network, url: request.url, body: body.body)
            }
            let broken = FetchBody {
                var chunks = [Data(repeating: 0xFF, count: 500)]
                return FetchBody.Iterator {
                    if let chunk = chunks.popLast() { return chunk }
                    // Time in which the bytes are found to be no image.
                    for _ in 0..<2_000 { await Task.yield() }
                    throw FetchError(.connectionLost, detail: "lost")
                }
            }
            return FetchResponse(origin: .network, url: request.url, body: broken)
        }
        // The literal is a URL.
        let request = bench.request { $0.alternatives = [URL(string: "https://example.com/b.jpeg")!] }
        var events = bench.pipeline.events(for: request).makeAsyncIterator()
        body.send(data.prefix(data.count * 3 / 4))
        #expect(try await nextPreview(&events)?.size == PixelSize(width: 400, height: 300))
        body.finish()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a load that replaces a damaged entry has previews too`() async throws {
        let data = try JPEGEncoder(isProgressive: true).encode(Self.picture)
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        let key = PipelineBench.url.absoluteString
        try await bench.store.store(Data("<html>".utf8), forKey: key, options: BlobOptions())
        var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        body.send(data.prefix(data.count / 2))
        #expect(try await nextPreview(&events)?.size == PixelSize(width: 400, height: 300))
        body.finish()
    }
}

private func nextPreview(_ events: inout ImageEvents.Iterator) async throws -> Image? {
    while let event = try await events.next() {
        if case .preview(let image) = event { return image }
    }
    return nil
}
