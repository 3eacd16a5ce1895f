public import CalotypeCache
public import CalotypeCore
public import CalotypeLoading
internal import CalotypeSupport
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

        /// What stands around whole requests, before the caches; the first sees them first; none unless set.
        public var interceptors: [any RequestInterceptor] = []

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

        /// Where the bytes of loads that broke off are kept, to be continued by a later load, also of another
        /// process; `nil`, nowhere, unless set.
        ///
        /// A store of its own, whose limits bound them: `DiskCache(namespace: "partial", sizeLimit: 64 << 20,
        /// expiry: .hours(6))`. They are kept where an origin tells its contents apart by a strong validator,
        /// from 16 KiB on, and not with a serializer. ``ImagePipeline/shutdown()`` closes it.
        public var partialStore: (any ByteStore)?

        /// The most bytes of encoded images that ``ImagePipeline/data(for:priority:)`` keeps in memory;
        /// 32 MiB unless set, 0 for none.
        public var encodedCostLimit = 32 << 20

        /// How long a URL that fails for good is not asked for again; 60 s unless set, zero for not at all.
        public var failureDuration: Duration = .seconds(60)

        /// The most failures that are remembered; 10,000 unless set.
        public var failureCountMax = 10_000

        /// How long a call waits for its result, everything included; 120 s unless set.
        ///
        /// ``ImageRequest/timeout`` sets it for one call.
        public var timeout: Duration = .seconds(120)

        /// The most bytes that are held for loads under way: three quarters for what has not been decoded,
        /// a quarter for what has not been written; unless set, a twentieth of the machine's memory, at least
        /// 64 and at most 256 MiB.
        ///
        /// Above it new bodies wait for their turn; what would have to wait for its store is not kept, which
        /// the observers are told, but for requests that wait for the store anyhow.
        public var byteCountInFlightMax = min(256 << 20, max(64 << 20, MainMemory.byteCount / 20))

        /// How long an original may take to load: its turn in the queue, redirects, retries and alternatives
        /// included; as the loader limits each try unless set.
        public var originalTimeout: Duration?

        /// How long a store may take to answer before the image is loaded without it; 5 s unless set.
        public var storeTimeout: Duration = .seconds(5)

        /// For how long requests that respect HTTP may be answered with something stale where its origin has
        /// not said so; not at all unless set.
        public var staleAllowance = StaleAllowance()

        /// How long an origin is waited for where something stale may stand in (`stale-if-error`); 2 s
        /// unless set.
        public var staleWait: Duration = .seconds(2)

        /// How long after an origin has failed something stale stands in at once, while it is asked behind;
        /// 10 s unless set.
        public var originFailureDuration: Duration = .seconds(10)

        /// How long ``ImagePipeline/shutdown()`` waits for what is being written; 10 s unless set.
        public var shutdownGrace: Duration = .seconds(10)

        /// The least time between two events of progress; 50 ms unless set.
        public var progressInterval: Duration = .milliseconds(50)

        /// The least time between two previews; 150 ms unless set.
        public var previewInterval: Duration = .milliseconds(150)

        /// The time of day, by which answers are fresh or stale; the system's unless set.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// What encoded variants that nobody has kept wait for before they are made; `nil`, the default,
        /// where any number is made at once.
        package var workGate: AdmissionGate?

        /// The most bytes of pixels, with what decoders and transforms need beside them, that are held for
        /// what is being made; `nil`, the default, where the limits of each decode are enough.
        package var workByteCountMax: Int?

        /// The clock for durations.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Waits before a broken load begins anew.
        package var pause: @Sendable (Duration) async throws -> Void = {
            try await ContinuousClock().sleep(for: $0)
        }

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - cache: Where images are kept; the shared cache unless given.
        ///   - loader: What gets the bytes behind a URL; HTTP of any address, files and `data:` unless given.
        ///   - observers: What is told about each step.
        ///   - sourceIdentity: The part of a URL that says where the bytes come from; the whole unless set.
        public init(
            cache: ImageCache = .shared,
            loader: any DataLoader = RoutingLoader.standard(),
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

    /// Whether it looks at images; false unless implemented.
    ///
    /// Then an image is held until it has been written, which may take a hundred times the memory of its
    /// bytes.
    var seesImages: Bool { get }

    /// The bytes to keep, for who looks at the image as well; ``serialize(_:for:)`` unless implemented.
    ///
    /// - Parameters:
    ///   - data: An encoded image.
    ///   - image: What it decodes to, where ``seesImages`` and it has been decoded just now.
    ///   - request: What it was loaded for.
    /// - Returns: What is written.
    /// - Throws: Any error; then nothing is kept, and the observers are told.
    func serialize(_ data: Data, decodedTo image: Image?, for request: ImageRequest) throws -> Data

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
    /// It does not.
    public var seesImages: Bool { false }

    /// As without the image.
    public func serialize(_ data: Data, decodedTo image: Image?, for request: ImageRequest) throws -> Data {
        try serialize(data, for: request)
    }

    /// The bytes as they are: what was written is an image.
    public func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
}
