import CalotypeSupport
public import FoundationEssentials

extension HTTPDataLoader.Configuration {
    /// Returns the most time for connecting for a request.
    ///
    /// - Throws: `overloaded` if the request's deadline has passed: no origin has been contacted.
    func connectTimeout(
        of request: FetchRequest,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws(FetchError) -> Duration {
        guard request.deadline != nil else { return connectTimeout }
        return try FetchDeadline(connectTimeout, latest: request.deadline, now: now).remaining()
    }
}

extension HTTPDataLoader {
    /// The default `Accept`: all images, with those first that this build decodes and that origins send only
    /// on request: AVIF, WebP and JPEG XL.
    public static let standardAccept = accept(jpegXL: BuildTrait.jpegXL.isOn)

    /// The default `Accept` without JPEG XL, which registries for the public web do not decode
    /// (`CodecRegistry.publicWeb`).
    public static let publicWebAccept = accept(jpegXL: false)

    private static func accept(jpegXL: Bool) -> String {
        let formats = [(BuildTrait.avif.isOn, "avif"), (true, "webp"), (jpegXL, "jxl")]
        let names = formats.filter(\.0).map { "image/\($0.1)" }
        return (names + ["image/*", "*/*;q=0.8"]).joined(separator: ",")
    }

    /// The limits of a loader, and its request and response settings.
    public struct Configuration: Sendable {
        /// The most loads running at once; 64 unless set, at least 1.
        public var maxFetchConcurrency = 64
        /// The most loads running at once per host, each on its own connection; 6 unless set, at least 1.
        public var maxFetchConcurrencyPerHost = 6
        /// The most queued loads, three quarters of them for one host; 10,000 unless set.
        ///
        /// Further loads fail with `overloaded`.
        public var maxQueuedFetchCount = 10_000
        /// The order of equally urgent loads in the queue; the oldest first unless set.
        public var queueOrder = QueueOrder.oldestFirst
        /// The rate limit of requests, including those for redirects; `nil`, unlimited, unless set.
        ///
        /// A load waits for its turn after it has left the queue, the most urgent first. The turn of a load
        /// cancelled while waiting goes to the next load. A load whose turn would come after its deadline
        /// fails with `overloaded`.
        public var rateLimit: RateLimit?
        /// The most time for establishing a connection, including TLS; 10 s unless set.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the server once the request is sent; 15 s unless set.
        ///
        /// Time in which the reader of the body does not read is not counted here, but in ``totalTimeout``.
        public var idleTimeout: Duration = .seconds(15)
        /// The most time from leaving the queue to the last byte, including redirects; 60 s unless set.
        public var totalTimeout: Duration = .seconds(60)
        /// The most redirects followed; 5 unless set.
        public var maxRedirectCount = 5
        /// Whether a redirect to a URL is permitted; called for each redirect; any unless set.
        ///
        /// The ``addressPolicy`` applies in any case.
        public var permitsRedirect: (@Sendable (URL) -> Bool)?
        /// The names of header fields that are also sent after a redirect to another origin; none unless set.
        ///
        /// By default only `Accept`, `Accept-Language`, `Cache-Control`, `Pragma`, `Range` and `User-Agent`
        /// are sent there: any other may contain a secret. Fields that make a request conditional are only
        /// sent to the URL that they were given for, even if named here.
        public var forwardedHeaderNames: Set<String> = []
        /// Whether cookies from responses are sent with later loads; false unless set.
        ///
        /// Within a chain of redirects they are always sent. Stored cookies are lost with the loader. They
        /// are not part of cache keys, so set this only if they do not change images.
        public var storesCookies = false
        /// The permitted addresses; any unless set.
        ///
        /// The policy is checked at each hop for all addresses that the host name resolves to, and again for
        /// the address of each connection before a request is sent. So changing the name's address in between
        /// does not help an attacker. With a ``proxy``, the second check is up to the proxy, which makes the
        /// connection.
        public var addressPolicy = AddressPolicy.any
        /// The proxy for all connections; `nil`, none, unless set.
        public var proxy: Proxy?
        /// Whether to use the proxy of the environment if ``proxy`` is not set, as `curl` does: `http_proxy`,
        /// `https_proxy`, `all_proxy`, `no_proxy`; false unless set.
        ///
        /// The variables are read when the loader is created. They are ignored if there is an
        /// ``addressPolicy``, which could not check the proxy's connections.
        public var usesEnvironmentProxies = false
        /// The path of the Unix domain socket for all connections, such as a local server's; `nil`, none,
        /// unless set.
        ///
        /// Hosts are then only part of the request, and the address policy has no addresses to check.
        public var unixSocketPath: String?
        /// Certificates that are trusted in addition to the system's; none unless set.
        public var additionalTrustRoots: [TrustRoots] = []
        /// The statuses accepted for an image; 200...299 unless set.
        public var acceptedStatuses = Set(200...299)
        /// The accepted content types, such as `image/png` or `image/*`; `nil`, any, unless set.
        public var acceptedContentTypes: [String]?
        /// The `User-Agent` of requests without one.
        public var userAgent = "Calotype"
        /// The `Referer` of requests without one, sent to all origins; none unless set.
        public var referer: String?
        /// The credentials by origin; none unless set.
        ///
        /// They are part of cache keys as a digest. The table may change while the loader runs.
        public var origins: OriginTable?
        /// The `Accept` of requests without one; ``HTTPDataLoader/standardAccept`` unless set, or
        /// ``HTTPDataLoader/publicWebAccept`` in loaders of the public web.
        public var accept = HTTPDataLoader.standardAccept

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
