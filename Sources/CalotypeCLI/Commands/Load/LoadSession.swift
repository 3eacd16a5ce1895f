import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeLoading

/// The pipeline of one run of the program, with its observer.
struct LoadSession: Sendable {
    let pipeline: ImagePipeline
    let observer: LoadObserver

    private let console: Console

    /// Creates the pipeline; the cache directory is opened in the background.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - loadCount: The total number of loads.
    ///   - codecs: The codecs.
    ///   - console: Receives warnings.
    /// - Throws: ``CalotypeCache/DiskCacheError`` if the directory cannot be a cache directory;
    ///   ``CalotypeLoading/FetchError`` if certificates cannot be read.
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

    /// Cancels running work, waits for writes, and closes the cache and the connections.
    ///
    /// - Throws: ``CommandError`` if standard error accepts no warning.
    func close() async throws {
        observer.end()
        do {
            // In a separate task: an interrupt ends the loads, but loaded bytes are still written.
            try await Task { try await pipeline.shutdown() }.value
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
    }
}
