import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeLoading

/// The pipeline of one run of the program, with what watches it.
struct LoadSession: Sendable {
    let pipeline: ImagePipeline
    let observer: LoadObserver

    private let console: Console

    /// Creates the pipeline; the cache directory is opened in the background.
    ///
    /// - Parameters:
    ///   - command: What is loaded, and how.
    ///   - codecs: What decodes and encodes.
    ///   - console: Where warnings go.
    /// - Throws: ``CalotypeCache/DiskCacheError`` where the directory cannot be one of a cache;
    ///   ``CalotypeLoading/FetchError`` where certificates cannot be read.
    init(_ command: LoadCommand, codecs: CodecRegistry, console: Console) throws {
        self.console = console
        let loadCount = command.addresses.count * command.passCount
        observer = LoadObserver(ProgressBar(console, totalCount: loadCount))
        let stores: [any ByteStore] = command.noDisk ? [] : [try DiskCache(command.cache.configuration)]
        pipeline = ImagePipeline(
            .init(
                cache: ImageCache(stores: stores, codecs: codecs),
                loader: try command.network.loader(),
                observers: [observer]
            )
        )
    }

    /// Cancels what still runs, waits for what is being written, and closes the cache and the connections.
    ///
    /// - Throws: ``CommandError`` where standard error takes no warning.
    func close() async throws {
        observer.end()
        do {
            try await pipeline.shutdown()
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
    }
}
