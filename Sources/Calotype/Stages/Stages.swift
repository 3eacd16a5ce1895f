internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeLoading
internal import CalotypeSupport

/// The stages of a load: read from the stores, fetch, decode, transform, encode, and write.
///
/// A stage waits for its turn within the limits, does its work, and notifies the observers. Stages know no
/// order; a job calls them in turn.
final class Stages: Sendable {
    let configuration: ImagePipeline.Configuration
    let cache: ImageCache
    /// The parts of requests that depend on the configuration.
    let settings: RequestSettings
    /// The permits and budgets of loads.
    let limits: StageLimits
    /// The known state of sources, and the values in memory.
    let sources: KnownSources
    /// Failures of late.
    let failures: PastFailures
    /// Holds new loads back while they are paused.
    let pauseGate = PauseGate()
    /// The number of fetches in progress.
    let loadCount = Guarded(0)
    let decodeCount = Guarded(0)
    private let fileReads = FileReads(pool: BlockingPool(width: 4))

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        cache = configuration.cache
        settings = RequestSettings(configuration)
        limits = StageLimits(configuration)
        sources = KnownSources(configuration, settings)
        failures = PastFailures(configuration)
    }

    /// The codecs and the threads that run them.
    var codecPool: CodecPool { cache.codecPool }

    /// Returns the source of a request's bytes, and the key of the variant.
    ///
    /// The source of a local file includes its version, so that a changed file is loaded again.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The time limit for examining a local file; `nil` for none but that of the read.
    /// - Returns: The source and the key.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func identity(of request: ImageRequest, within limit: Duration? = nil) async throws -> RequestIdentity {
        if let text = request.refusedText {
            throw LoadError(stage: .load, underlying: FetchError.notAURL(text))
        }
        if let identity = settings.identityAtOnce(of: request) { return identity }
        let version: FileVersion?
        do {
            version = try await fileReads.version(of: request.url, within: limit)
        } catch let error as FetchError {
            throw LoadError(stage: .load, underlying: error)
        }
        return settings.identity(ofFile: request, version)
    }
}
