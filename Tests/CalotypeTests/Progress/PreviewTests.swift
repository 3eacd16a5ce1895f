import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct PreviewTests {
    private static let picture = TestImages.photograph(PixelSize(width: 400, height: 300))

    private static func files() throws -> [(name: String, data: Data)] {
        [
            ("progressive JPEG", try JPEGEncoder(isProgressive: true).encode(picture)),
            ("baseline JPEG", try JPEGEncoder(isProgressive: false).encode(picture)),
            ("PNG", try PNGEncoder().encode(picture)),
            ("WebP", try WebPEncoder().encode(picture)),
        ]
    }

    @Test func `previews are delivered while bytes arrive and are not cached`() async throws {
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

    /// A JPEG with a thumbnail in its Exif block, like that of a camera.
    private static func camera() throws -> Data {
        let thumbnail = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 80, height: 60)))
        func entry(_ tag: UInt8, _ value: Int) -> [UInt8] {
            [tag, 2, 4, 0, 1, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // No tags of the image, then two of the thumbnail.
        let block: [UInt8] =
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0, 0, 14, 0, 0, 0, 2, 0] + entry(1, 44)
            + entry(2, thumbnail.count)
            + [0, 0, 0, 0]
        let payload = Data("Exif\0\0".utf8) + block + thumbnail
        let file = try JPEGEncoder(isProgressive: true).encode(picture)
        let count = payload.count + 2
        return file.prefix(2) + Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)]) + payload
            + file.dropFirst(2)
    }

    @Test func `an embedded thumbnail is delivered first if requested and is not cached`() async throws {
        let data = try Self.camera()
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        let request = bench.request { $0.options.previewsThumbnail = true }
        var events = bench.pipeline.events(for: request).makeAsyncIterator()
        body.send(data.prefix(4096))
        let preview = try await nextPreview(&events)
        #expect(preview?.size == PixelSize(width: 80, height: 60))
        #expect(bench.pipeline.cache.statistics.memory.count == 0)
        body.send(data.dropFirst(4096))
        body.finish()
        var result: Image?
        while let event = try await events.next() {
            if case .finished(let loaded) = event { result = loaded.image }
        }
        #expect(result?.size == PixelSize(width: 400, height: 300))
        #expect(bench.pipeline.residentImage(for: request)?.size == PixelSize(width: 400, height: 300))
    }

    @Test func `an embedded thumbnail is ignored by default`() async throws {
        let data = try Self.camera()
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        body.send(data.prefix(data.count * 3 / 4))
        #expect(try await nextPreview(&events)?.size == PixelSize(width: 400, height: 300))
        body.finish()
    }

    @Test func `previews of an animation gain frames, also if a chain is for stills only`() async throws {
        let frames = FakeFrameSource(frameCount: 12, size: PixelSize(width: 40, height: 30))
        let animated = frames.image
        let files: [Data] = [
            try GIFEncoder().encode(animated), try WebPEncoder(isLossless: true).encode(animated),
            try PNGEncoder().encode(animated),
        ]
        for data in files {
            for chain in [TransformChain(), .resize(toWidth: 20).exceptAnimations] {
                let body = PacedBody()
                let bench = PipelineBench { request, _ in
                    FetchResponse(origin: .network, url: request.url, body: body.body)
                }
                let request = bench.request { $0.transforms = chain }
                var events = bench.pipeline.events(for: request).makeAsyncIterator()
                var (sentCount, shownCount) = (0, 1)
                for part in [data.count / 2, data.count * 7 / 8] {
                    body.send(data[sentCount..<part])
                    sentCount = part
                    let preview = try await nextPreview(&events)
                    let count = try #require(preview?.animation?.frameCount)
                    #expect(preview?.width == 40 && count > shownCount && count < 12)
                    shownCount = count
                }
                body.finish()
            }
        }
    }

    @Test func `a preview is decoded once and delivered to every consumer`() async throws {
        let data = try JPEGEncoder(isProgressive: true).encode(Self.picture)
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        let request = bench.request()
        let onlookerCount = SharedState(0)
        let tasks = (0..<2).map { _ in
            Task {
                var events = bench.pipeline.events(for: request).makeAsyncIterator()
                // The first event: a consumer that has received it receives all later ones.
                _ = try await events.next()
                onlookerCount.withLock { $0 += 1 }
                return try await nextPreview(&events)
            }
        }
        while onlookerCount.value < 2 { await Task.yield() }
        body.send(data.prefix(data.count / 2))
        let (first, second) = (try await tasks[0].value, try await tasks[1].value)
        #expect(first != nil && first === second)
    }

    @Test func `a consumer that disables previews receives none`() async throws {
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

    @Test func `bytes of an unrecognized format give no preview and throw a decode error`() async throws {
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

    @Test func `bytes of a failed source are not part of the next source's preview`() async throws {
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
                    // Gives the pipeline time to reject the bytes as an image.
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

    @Test func `a load that replaces a damaged entry delivers previews`() async throws {
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
