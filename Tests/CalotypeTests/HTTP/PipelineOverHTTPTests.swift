import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// The whole pipeline: a real origin, real codecs, a real directory.
@Suite(.gated) struct PipelineOverHTTPTests {
    private static func gradient(width: Int = 64, height: Int = 48) -> Image {
        let size = PixelSize(width: width, height: height)
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes throws(Never) in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 7 / 3) }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    private static func picture() throws -> Data {
        try PNGEncoder().encode(gradient())
    }

    private static func pipeline(_ folder: ScratchFolder) throws -> ImagePipeline {
        let disk = try DiskCache(DiskCache.Configuration(root: folder.path))
        let loader = RoutingLoader.standard(.patient)
        return ImagePipeline(.init(cache: ImageCache(disk: disk), loader: loader).patient)
    }

    private static func request(_ url: URL) -> ImageRequest {
        ImageRequest(url: url, waitsForStore: true)
    }

    private func with<Result: Sendable>(
        _ folder: ScratchFolder,
        _ body: (ImagePipeline) async throws -> Result
    ) async throws -> Result {
        let pipeline = try Self.pipeline(folder)
        do {
            let result = try await body(pipeline)
            try await pipeline.shutdown()
            return result
        } catch {
            try await pipeline.shutdown()
            throw error
        }
    }

    @Test func `an image comes from the network, then memory, then disk in a new pipeline`() async throws {
        let folder = try ScratchFolder()
        let origin = try await LoopbackOrigin.start(routes: ["/a.png": .body(try Self.picture())])
        let request = Self.request(origin.url("/a.png"))
        try await with(folder) { pipeline async throws in
            #expect(try await pipeline.load(request).source == .network)
            #expect(try await pipeline.load(request).source == .memory)
        }
        let image = try await with(folder) { pipeline async throws in
            let loaded = try await pipeline.load(request)
            #expect(loaded.source == .disk)
            return loaded.image
        }
        #expect(image.rgba8() == Self.gradient().rgba8())
        #expect(await origin.activity.snapshot.requests.count == 1)
        await origin.close()
    }

    @Test func `a loaded image reports its transactions and a resident one reports none`() async throws {
        let routes = ["/a.png": OriginResponse.redirect(to: "/b.png"), "/b.png": .body(try Self.picture())]
        let origin = try await LoopbackOrigin.start(routes: routes)
        let request = Self.request(origin.url("/a.png"))
        try await with(try ScratchFolder()) { pipeline async throws in
            let loaded = try await pipeline.load(request)
            #expect(loaded.transactions.map(\.status) == [302, 200])
            #expect(loaded.transactions.map(\.address) == ["/a.png", "/b.png"].map { "\(origin.url($0))" })
            #expect(try await pipeline.load(request).transactions.isEmpty)
        }
        await origin.close()
    }

    // SDWebImage #1612, #1184, #57, Nuke #65: half an image is shown, and cached as if it were whole.
    @Test func `bad responses throw typed errors and leave nothing on disk`() async throws {
        let folder = try ScratchFolder()
        let picture = try Self.picture()
        let answers: [String: (OriginResponse, String)] = [
            "/404": (.status(404), "unacceptableStatus"),
            "/500": (.status(500), "unacceptableStatus"),
            "/longer.png": (.body(picture, announcing: picture.count - 10), "lengthMismatch"),
            "/shorter.png": (.body(picture, announcing: picture.count + 10), "lengthMismatch"),
            "/dropped.png": (.body(picture, resetAfter: 20), "connectionLost"),
            "/page.jpg": (.body(Data("<!DOCTYPE html><html></html>".utf8)), "unrecognizedFormat"),
            "/empty.jpg": (.body(Data()), "empty"),
            "/half.png": (.body(picture.prefix(picture.count / 2)), "truncated"),
        ]
        let origin = try await LoopbackOrigin.start(routes: answers.mapValues(\.0))
        try await with(folder) { pipeline async throws in
            for (path, (_, code)) in answers {
                let error = try await #require(throws: LoadError.self) {
                    try await pipeline.load(Self.request(origin.url(path)))
                }
                #expect(error.codeLabel == code, "\(path): \(error)")
            }
            #expect(try await pipeline.cache.usage(of: .disk) == StoreUsage())
        }
        await origin.close()
    }

    @Test func `a refused connection throws a typed error`() async throws {
        // Port 1 has no listener; the port of a closed origin may belong to another test by now.
        let request: ImageRequest = "http://127.0.0.1:1/a.png"
        try await with(try ScratchFolder()) { pipeline async throws in
            let error = try await #require(throws: LoadError.self) { try await pipeline.load(request) }
            #expect(error.codeLabel == "connectionFailed")
        }
    }

    // SDWebImage #2928, #2716: one URL is requested several times.
    @Test func `a thousand concurrent requests send one request to the origin`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/a.png": .body(try Self.picture())])
        let request = Self.request(origin.url("/a.png"))
        try await with(try ScratchFolder()) { pipeline async throws in
            let images = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<1_000 {
                    group.addTask { ObjectIdentifier(try await pipeline.image(for: request)) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(images.count == 1)
        }
        #expect(await origin.activity.snapshot.requests.count == 1)
        await origin.close()
    }

    @Test func `cancelling all callers closes the connection`() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.png": .body(try Self.picture()).held(by: gate)
        ])
        let request = Self.request(origin.url("/a.png"))
        try await with(try ScratchFolder()) { pipeline async throws in
            let tasks = (0..<3).map { _ in Task { try await pipeline.load(request) } }
            await gate.arrived()
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            await origin.activity.until { $0.openCount == 0 }
        }
        await gate.open()
        await origin.close()
    }

    @Test func `requests with different credentials share neither a download nor an entry`() async throws {
        let picture = try Self.picture()
        let origin = try await LoopbackOrigin.start { request in
            request[header: "authorization"] == "Bearer good" ? .body(picture) : .status(401)
        }
        let folder = try ScratchFolder()
        var good = Self.request(origin.url("/a.png"))
        good.headers = [HeaderField("Authorization", "Bearer good")]
        var bad = good
        bad.headers = [HeaderField("Authorization", "Bearer bad")]
        let none = Self.request(origin.url("/a.png"))
        let (allowed, refused) = (good, [bad, none])
        for _ in 0..<2 {
            try await with(folder) { pipeline async throws in
                _ = try await pipeline.load(allowed)
                for request in refused {
                    let error = try await #require(throws: LoadError.self) {
                        try await pipeline.load(request)
                    }
                    #expect((error.underlying as? FetchError)?.status == 401)
                }
            }
        }
        await origin.close()
    }

    @Test func `a local file is never stored and is loaded again once it has changed`() async throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/a.png"
        try Self.picture().write(to: URL(filePath: file))
        let request = Self.request(URL(filePath: file))
        try await with(try ScratchFolder()) { pipeline async throws in
            #expect(try await pipeline.load(request).source == .file)
            #expect(try await pipeline.load(request).source == .memory)
            try PNGEncoder().encode(Self.gradient(width: 10, height: 10)).write(to: URL(filePath: file))
            let changed = try await pipeline.load(request)
            #expect(changed.source == .file)
            #expect(changed.image.size.width == 10)
            #expect(try await pipeline.cache.usage(of: .disk) == StoreUsage())
        }
    }

    @Test func `the bytes of a data URL are decoded and never stored`() async throws {
        let url = try #require(URL(string: "data:image/png;base64,\(Self.picture().base64EncodedString())"))
        try await with(try ScratchFolder()) { pipeline async throws in
            #expect(try await pipeline.load(Self.request(url)).source == .data)
            #expect(try await pipeline.load(Self.request(url)).source == .memory)
            #expect(try await pipeline.cache.usage(of: .disk) == StoreUsage())
        }
    }
}
