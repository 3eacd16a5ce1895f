public import CalotypeCache
public import CalotypeCore
public import CalotypeLoading
internal import CalotypeSupport
public import FoundationEssentials

extension ImagePipeline {
    /// The dependencies, limits and timeouts of a pipeline.
    public struct Configuration: Sendable {
        /// The cache for images.
        public var cache: ImageCache

        /// The loader of the bytes behind URLs.
        public var loader: any DataLoader

        /// The observers, each of which is notified of every step; none unless set.
        public var observers: [any PipelineObserver]

        /// The interceptors of whole requests, called before the caches, the first one outermost; none unless
        /// set.
        public var interceptors: [any RequestInterceptor] = []

        /// Extracts the part of a URL that identifies its source; `nil`, the default, for the whole URL.
        ///
        /// A function that removes signatures from URLs makes requests with different signatures share an
        /// entry.
        public var sourceIdentity: (@Sendable (URL) -> String)?

        /// Names of header fields that affect neither the response nor access to it, in lower case; none
        /// unless set.
        ///
        /// All other fields of a request are part of the key, except those that only describe the transfer
        /// (`User-Agent`, `Connection`, `Accept-Encoding`).
        public var neutralHeaderNames: Set<String> = []

        /// Converts bytes on their way to and from the stores; `nil`, the default, for none.
        public var serializer: (any CacheSerializer)?

        /// The store for partial bodies of interrupted loads, which later loads continue, also in other
        /// processes; `nil`, the default, for none.
        ///
        /// Use a separate store, whose limits apply to partial bodies: `DiskCache(namespace: "partial",
        /// sizeLimit: 64 << 20, expiry: .hours(6))`. Bodies are stored from 16 KiB, if the origin sends a
        /// strong validator, and never with a serializer. ``ImagePipeline/shutdown()`` closes the store.
        public var partialStore: (any ByteStore)?

        /// The memory limit in bytes for encoded images of ``ImagePipeline/data(for:priority:)``; 32 MiB
        /// unless set, 0 for none.
        public var encodedCostLimit = 32 << 20

        /// The time in which a permanently failed URL is not requested again; 60 s unless set, zero to
        /// disable.
        public var failureDuration: Duration = .seconds(60)

        /// The maximum number of remembered failures; 10,000 unless set.
        public var maxFailureCount = 10_000

        /// The time limit of a call, from start to result; 120 s unless set.
        ///
        /// ``ImageRequest/timeout`` overrides it for one call.
        public var timeout: Duration = .seconds(120)

        /// The maximum bytes held for loads in progress; a twentieth of the machine's memory, from 64 to 256
        /// MiB, unless set.
        ///
        /// Three quarters are for bytes not decoded yet, a quarter for bytes not written yet. Above the limit
        /// new bodies wait. An image that would have to wait for its store is not stored, and observers are
        /// notified, unless the request waits for the store anyway.
        public var maxByteCountInFlight = min(256 << 20, max(64 << 20, MainMemory.byteCount / 20))

        /// The time limit of loading an original, with queueing, redirects, retries and alternatives; `nil`,
        /// the default, leaves the limits to the loader.
        public var originalTimeout: Duration?

        /// The time a store may take to respond before the image is loaded without it; 5 s unless set.
        public var storeTimeout: Duration = .seconds(5)

        /// The staleness accepted by requests that respect HTTP if the origin does not specify one; none
        /// unless set.
        public var staleAllowance = StaleAllowance()

        /// The time to wait for an origin if a stale response may be used instead (`stale-if-error`); 2 s
        /// unless set.
        public var staleFallbackTimeout: Duration = .seconds(2)

        /// The time after an origin's failure in which stale responses are used at once and revalidated in
        /// the background, each once; 10 s unless set.
        public var originFailureDuration: Duration = .seconds(10)

        /// The time that ``ImagePipeline/shutdown()`` waits for pending writes, and for the loader and the
        /// stores to close; 10 s unless set.
        public var shutdownGrace: Duration = .seconds(10)

        /// The minimum time between two progress events; 50 ms unless set.
        public var progressInterval: Duration = .milliseconds(50)

        /// The minimum time between two previews; 150 ms unless set.
        public var previewInterval: Duration = .milliseconds(150)

        /// The time of day, for the freshness of responses; the system's unless set.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// The gate that limits concurrent encoding of variants that are not cached; `nil`, the default, for
        /// no limit.
        package var workGate: AdmissionGate?

        /// The maximum bytes of pixels, with the working memory of decoders and transforms, for images in
        /// progress; `nil`, the default, to rely on the limits of each decode.
        package var maxWorkByteCount: Int?

        /// The clock for durations.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Waits before a broken load is restarted.
        package var pause: @Sendable (Duration) async throws -> Void = {
            try await ContinuousClock().sleep(for: $0)
        }

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - cache: The cache for images; the shared one unless given.
        ///   - loader: The loader; HTTP of any address, files and `data:` unless given.
        ///   - observers: The observers of each step.
        ///   - sourceIdentity: Extracts the part of a URL that identifies its source; the whole URL unless
        ///     set.
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
