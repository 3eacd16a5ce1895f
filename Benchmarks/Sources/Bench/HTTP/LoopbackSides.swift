import AsyncHTTPClient
import Calotype
import CalotypeTesting
import Foundation
import Glibc
import NIOCore
import Synchronization

/// How many connections either side keeps to one host; the pipeline's default.
private let connectionCount = HTTPDataLoader.Configuration().maxFetchConcurrencyPerHost

/// Ours: a pipeline with a disk cache that a turn begins empty.
final class LoopbackPipeline: Sendable {
    private let encodedCostLimit: Int
    private let loader = RoutingLoader.standard()
    private let current = Mutex<ImagePipeline?>(nil)
    private let folders = TurnFolders()
    private let hasDisk: Bool

    /// Creates one; ``empty()`` comes before the first load.
    init(encodedCostLimit: Int = 32 << 20, hasDisk: Bool = true) {
        self.encodedCostLimit = encodedCostLimit
        self.hasDisk = hasDisk
    }

    /// Closes the caches there are, and opens empty ones; the connections stay.
    func empty() async throws {
        if let old = current.withLock({ $0 }) { try await old.cache.close() }
        var stores: [any ByteStore] = []
        if hasDisk {
            stores.append(try await DiskCache.open(DiskCache.Configuration(root: try folders.next())))
        }
        let cache = ImageCache(stores: stores)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.encodedCostLimit = encodedCostLimit
        let pipeline = ImagePipeline(configuration)
        current.withLock { $0 = pipeline }
    }

    /// Loads all at once, and waits until the last is on disk.
    func load(_ urls: ArraySlice<URL>) async throws {
        guard let pipeline = current.withLock({ $0 }) else { throw Skipped("no cache") }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls {
                group.addTask { try await pipeline.data(for: ImageRequest(url: url)).data.count }
            }
            for try await byteCount in group { use(byteCount) }
        }
        try await pipeline.cache.prepareForSuspension()
    }
}

/// The loader by itself, which keeps nothing.
final class PlainLoader: Sendable {
    private let loader = HTTPDataLoader()

    /// Fetches all at once.
    func load(_ urls: ArraySlice<URL>) async throws {
        let loader = loader
        try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls {
                group.addTask { try await loader.response(for: FetchRequest(url: url)).collected().count }
            }
            for try await byteCount in group { use(byteCount) }
        }
    }
}

/// AsyncHTTPClient as its manual says.
final class PlainClient: Sendable {
    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionCount
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        client.shutdown { _ in }
    }

    /// Fetches all at once; writes each to a file of a folder where one is given.
    func load(_ urls: ArraySlice<URL>, to folder: String? = nil) async throws {
        let client = client
        try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls {
                group.addTask {
                    let request = HTTPClientRequest(url: url.absoluteString)
                    let response = try await client.execute(request, timeout: .seconds(60))
                    let body = try await response.body.collect(upTo: 1 << 20)
                    if let folder { try Self.write(body, to: "\(folder)/\(url.lastPathComponent)") }
                    return body.readableBytes
                }
            }
            for try await byteCount in group { use(byteCount) }
        }
    }

    /// Creates a file beside its place, writes it, and renames it into its place.
    private static func write(_ body: ByteBuffer, to path: String) throws {
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_EXCL, 0o644)
        let count = body.withUnsafeReadableBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard close(file) == 0, count == body.readableBytes, rename(path + ".new", path) == 0 else {
            throw Skipped("\(path) cannot be written")
        }
    }
}

/// The folders of the turns of one side, each empty at first; removed with the last reference.
final class TurnFolders: Sendable {
    // Until the end: where many files have just been removed, ext4 is slow to make new ones.
    private let folders = Mutex<[ScratchFolder]>([])

    /// Makes an empty folder, which is the current one from then on.
    func next() throws -> String {
        let folder = try ScratchFolder()
        folders.withLock { $0.append(folder) }
        return folder.path
    }

    /// The folder that was made last.
    func current() throws -> String {
        guard let path = folders.withLock({ $0.last?.path }) else { throw Skipped("no folder") }
        return path
    }
}
