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
    ///   - loadCount: How many loads there are in all.
    ///   - codecs: What decodes and encodes.
    ///   - console: Where warnings go.
    /// - Throws: ``CalotypeCache/DiskCacheError`` where the directory cannot be one of a cache;
    ///   ``CalotypeLoading/FetchError`` where certificates cannot be read.
    init(_ command: LoadCommand, loadCount: Int, codecs: CodecRegistry, console: Console) throws {
        self.console = console
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
            // In a task of its own: an interrupt ends the loads, and what they have brought is still written.
            try await Task { try await pipeline.shutdown() }.value
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
    }
}
