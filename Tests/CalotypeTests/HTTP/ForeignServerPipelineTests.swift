import Calotype
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// The main paths against third-party servers; each suite is skipped if its program is
/// missing.
private struct ServedPicture {
    let folder: ScratchFolder
    let cacheFolder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        cacheFolder = try ScratchFolder()
        try write(width: 64)
    }

    func write(width: Int) throws {
        let picture = TestImages.photograph(PixelSize(width: width, height: 48))
        try PNGEncoder().encode(picture).write(to: URL(filePath: folder.path + "/a.png"))
    }

    /// Runs a test with a new pipeline on the directory, like one process after another.
    func withPipeline(_ body: (ImagePipeline) async throws -> Void) async throws {
        let disk = try DiskCache(DiskCache.Configuration(root: cacheFolder.path))
        let pipeline = ImagePipeline(
            .init(cache: ImageCache(disk: disk), loader: RoutingLoader.standard(.patient))
        )
        do {
            try await body(pipeline)
        } catch {
            try await pipeline.shutdown()
            throw error
        }
        try await pipeline.shutdown()
    }

    func entry() throws -> (payload: Data, record: Data) {
        let byteCount = try Data(contentsOf: URL(filePath: folder.path + "/a.png")).count
        for file in try cacheFolder.files() where file.hasSuffix(".png") {
            let bytes = try Data(contentsOf: URL(filePath: cacheFolder.path + "/" + file))
            return (bytes.prefix(byteCount), bytes.dropFirst(byteCount))
        }
        return (Data(), Data())
    }

    func request(_ base: URL, _ caching: HTTPCaching) -> ImageRequest {
        ImageRequest(url: base.appending(path: "a.png"), httpCaching: caching, waitsForStore: true)
    }

    /// Loads from the network, from memory, and in a new pipeline from disk in another size.
    func checkMainPaths(_ base: URL) async throws {
        let request = request(base, .ignoresHTTP)
        try await withPipeline { pipeline async throws in
            #expect(try await pipeline.load(request).source == .network)
            #expect(try await pipeline.load(request).source == .memory)
            var missing = request
            missing.url = base.appending(path: "b.png")
            let absent = missing
            let error = try await #require(throws: LoadError.self) { try await pipeline.load(absent) }
            #expect((error.underlying as? FetchError)?.status == 404)
        }
        try await withPipeline { pipeline async throws in
            var small = request
            small.decoding.target = .fit(PixelBox(width: 32))
            let loaded = try await pipeline.load(small)
            #expect(loaded.source == .disk)
            #expect(loaded.image.size == PixelSize(width: 32, height: 24))
            #expect(try await pipeline.data(for: request).source == .disk)
        }
    }
}

@Suite(.waiting, .enabled(if: NginxServer.isInstalled, "nginx is not installed"))
struct `A pipeline over nginx` {
    @Test func `an image comes from the network, then memory, then disk`() async throws {
        let served = try ServedPicture()
        let server = try NginxServer(folder: served.folder.path)
        try await served.checkMainPaths(server.base)
        #expect(Self.statuses(server, 2) == ["200"])
        try server.stop()
    }

    @Test func `an entry confirmed by the server is renewed with an unchanged payload`() async throws {
        let served = try ServedPicture()
        let server = try NginxServer(
            folder: served.folder.path,
            locations: "add_header Cache-Control no-cache;"
        )
        let request = served.request(server.base, .respectsHTTP)
        try await served.withPipeline { pipeline async throws in
            #expect(try await pipeline.load(request).source == .network)
        }
        let before = try served.entry()
        #expect(!before.payload.isEmpty)
        try await served.withPipeline { pipeline async throws in
            #expect(try await pipeline.load(request).source == .disk)
            // An image in memory is revalidated as well: the server requires it.
            _ = try await pipeline.load(request)
        }
        let after = try served.entry()
        #expect(before.payload == after.payload)
        #expect(before.record != after.record)
        #expect(Self.statuses(server, 3) == ["200", "304", "304"])
        // Another size, therefore another entity tag.
        try served.write(width: 80)
        try await served.withPipeline { pipeline async throws in
            let loaded = try await pipeline.load(request)
            #expect(loaded.source == .network)
            #expect(loaded.image.size.width == 80)
        }
        #expect(Self.statuses(server, 4) == ["200", "304", "304", "200"])
        try server.stop()
    }

    private static func statuses(_ server: NginxServer, _ count: Int) -> [String] {
        server.requests(count).filter { $0.contains("a.png") }.map { String($0.split(separator: " ")[2]) }
    }
}

@Suite(.waiting, .enabled(if: PythonServer.isInstalled, "python3 is not installed"))
struct `A pipeline over Python's http server` {
    @Test func `an image comes from the network, then memory, then disk`() async throws {
        let served = try ServedPicture()
        let server = try PythonServer(folder: served.folder.path)
        try await served.checkMainPaths(server.base)
        server.stop()
    }
}
