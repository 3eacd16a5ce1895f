import Calotype
import CalotypeCache
import CalotypeLoading
import Foundation

/// The pipeline of one run of the program, with what watches it.
struct LoadSession: Sendable {
    let pipeline: ImagePipeline
    let observer: LoadObserver
    /// Keeps the bytes of originals where they are to be written to files.
    let bodies: BodyKeeper?

    private let loader: any DataLoader
    private let console: Console

    /// Creates the pipeline; the cache directory is opened in the background.
    ///
    /// - Throws: ``CalotypeCache/DiskCacheError`` where the directory cannot be one of a cache.
    init(_ command: LoadCommand, console: Console) throws {
        self.console = console
        let routing = RoutingLoader.standard()
        bodies = command.destination == nil ? nil : BodyKeeper(routing)
        loader = bodies ?? routing
        let loadCount = command.addresses.count * command.passCount
        observer = LoadObserver(ProgressBar(console, totalCount: loadCount))
        let stores: [any ByteStore] = command.noDisk ? [] : [try DiskCache(command.cache.configuration)]
        pipeline = ImagePipeline(
            .init(cache: ImageCache(stores: stores), loader: loader, observers: [observer])
        )
    }

    /// Cancels what still runs, waits for what is being written, and closes the cache and the connections.
    ///
    /// - Throws: ``CommandError`` where standard error takes no warning.
    func close() async throws {
        do {
            try await pipeline.shutdown()
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
    }

    /// The bytes of an image's original: those that have just come, else those in a store, else loaded again.
    func originalBytes(of request: ImageRequest) async throws -> Data {
        if let body = bodies?.take(request.url) { return body }
        let key = try await pipeline.originalKey(for: request)
        if let found = try await pipeline.cache.blob(forKey: key.rawValue) { return found.blob.data }
        let fetch = FetchRequest(url: request.url, byteCountMax: request.decoding.limits.byteCountMax)
        return try await loader.response(for: fetch).collected()
    }

    /// Lets go of the bytes of an original that nobody wants.
    func forgetBody(of request: ImageRequest) {
        _ = bodies?.take(request.url)
    }
}
