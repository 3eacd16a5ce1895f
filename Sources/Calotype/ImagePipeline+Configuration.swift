public import CalotypeCache
public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

extension ImagePipeline {
    /// What a pipeline is made of.
    public struct Configuration: Sendable {
        /// Where images are kept.
        public var cache: ImageCache

        /// What gets the bytes behind a URL.
        public var loader: any DataLoader

        /// What is told about each step; several see the same; none unless set.
        public var observers: [any PipelineObserver]

        /// The part of a URL that says where the bytes come from; `nil`, the default, for the whole URL.
        ///
        /// A filter that strips signatures from URLs makes requests with different signatures share an entry.
        public var sourceIdentity: (@Sendable (URL) -> String)?

        /// Names of header fields that change neither the answer nor who may have it, in lower case; none
        /// unless set.
        ///
        /// Every other field of a request is part of the key, but for those that only describe the transfer
        /// (`User-Agent`, `Connection`, `Accept-Encoding`).
        public var neutralHeaderNames: Set<String> = []

        /// What changes bytes on their way to and from the stores; nothing unless set.
        public var serializer: (any CacheSerializer)?

        /// The most bytes of encoded images that ``ImagePipeline/data(for:priority:)`` keeps in memory;
        /// 32 MiB unless set, 0 for none.
        public var encodedCostLimit = 32 << 20

        /// How long a URL that fails for good is not asked for again; 60 s unless set, zero for not at all.
        public var failureDuration: Duration = .seconds(60)

        /// The most failures that are remembered; 10,000 unless set.
        public var failureCountMax = 10_000

        /// The least time between two events of progress; 50 ms unless set.
        public var progressInterval: Duration = .milliseconds(50)

        /// The least time between two previews; 150 ms unless set.
        public var previewInterval: Duration = .milliseconds(150)

        /// The time of day, by which answers are fresh or stale; the system's unless set.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// The clock for durations.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - cache: Where images are kept.
        ///   - loader: What gets the bytes behind a URL.
        ///   - observers: What is told about each step.
        ///   - sourceIdentity: The part of a URL that says where the bytes come from; the whole unless set.
        public init(
            cache: ImageCache,
            loader: any DataLoader,
            observers: [any PipelineObserver] = [],
            sourceIdentity: (@Sendable (URL) -> String)? = nil
        ) {
            self.cache = cache
            self.loader = loader
            self.observers = observers
            self.sourceIdentity = sourceIdentity
        }
    }
}

/// Changes encoded bytes on their way into the stores and out of them: to encrypt them at rest, say.
///
/// What it changes is the program's own business: the files in a store are then no images to anybody else.
/// Its calls may block.
public protocol CacheSerializer: Sendable {
    /// The bytes to keep.
    ///
    /// - Parameters:
    ///   - data: An encoded image.
    ///   - request: What it was loaded for.
    /// - Returns: What is written.
    /// - Throws: Any error; then nothing is kept, and the observers are told.
    func serialize(_ data: Data, for request: ImageRequest) throws -> Data

    /// The encoded image again.
    ///
    /// - Parameters:
    ///   - data: What was written.
    ///   - request: What it is wanted for.
    /// - Returns: The encoded image.
    /// - Throws: Any error; then it counts as a miss.
    func deserialize(_ data: Data, for request: ImageRequest) throws -> Data
}

extension CacheSerializer {
    /// The bytes as they are: what was written is an image.
    public func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
}
