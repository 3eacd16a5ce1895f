import CalotypeSupport
public import FoundationEssentials

/// Which of several equally urgent loads that wait goes first.
public enum QueueOrder: Hashable, Sendable {
    /// The one that has waited longest.
    case oldestFirst
    /// The one that came last: for lists that are scrolled, where what came last is what is seen.
    case newestFirst
}

extension HTTPDataLoader.Configuration {
    /// How long a connection of a request may take to be made.
    ///
    /// - Throws: `timedOut` where the request's deadline has passed.
    func connectTimeout(
        of request: FetchRequest,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws(FetchError) -> Duration {
        guard request.deadline != nil else { return connectTimeout }
        return try FetchDeadline(connectTimeout, latest: request.deadline, now: now).remaining()
    }
}

extension HTTPDataLoader {
    /// The `Accept` of a loader: every image, those first that this build decodes and that origins send on
    /// request alone, AVIF, WebP and JPEG XL.
    public static let standardAccept = accept(jpegXL: BuildTrait.jpegXL.isOn)

    /// The same without JPEG XL, whose decoder no registry for the public web has
    /// (`CodecRegistry.publicWeb`).
    public static let publicWebAccept = accept(jpegXL: false)

    private static func accept(jpegXL: Bool) -> String {
        let formats = [(BuildTrait.avif.isOn, "avif"), (true, "webp"), (jpegXL, "jxl")]
        let names = formats.filter(\.0).map { "image/\($0.1)" }
        return (names + ["image/*", "*/*;q=0.8"]).joined(separator: ",")
    }

    /// The limits of a loader, and what it sends and accepts.
    public struct Configuration: Sendable {
        /// The most loads that run at once; 64 unless set, at least 1.
        public var fetchConcurrencyMax = 64
        /// The most loads that run at once from one host, each on a connection of its own; 6 unless set, at
        /// least 1.
        public var fetchConcurrencyPerHostMax = 6
        /// The most loads that wait for their turn, three quarters of them for one host; more fail with
        /// `overloaded`; 10,000 unless set.
        public var queuedFetchCountMax = 10_000
        /// Which of several equally urgent loads that wait goes first; the oldest unless set.
        public var queueOrder = QueueOrder.oldestFirst
        /// How many requests are sent in a time, those that redirects lead to included; `nil`, any number,
        /// unless set.
        ///
        /// A load waits for its turn after it has left the queue. A turn that a cancelled load was waiting
        /// for stays empty.
        public var rateLimit: RateLimit?
        /// The time for a connection to be made, TLS included; 10 s unless set.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the other side once the request is sent; 15 s unless set.
        ///
        /// The time in which a reader of the body does not read is no silence; ``totalTimeout`` counts it.
        public var idleTimeout: Duration = .seconds(15)
        /// The time from leaving the queue to the last byte, redirects included; 60 s unless set.
        public var totalTimeout: Duration = .seconds(60)
        /// The most redirects that are followed; 5 unless set.
        public var redirectCountMax = 5
        /// Where redirects may lead, asked for each before it is followed; anywhere unless set.
        ///
        /// What the ``addressPolicy`` forbids stays forbidden.
        public var permitsRedirect: (@Sendable (URL) -> Bool)?
        /// The names of header fields that follow a redirect to another origin; none unless set.
        ///
        /// Without being named go only `Accept`, `Accept-Language`, `Cache-Control`, `Pragma`, `Range` and
        /// `User-Agent`: any other may hold a secret. The fields that make a request conditional stay with
        /// the URL that they were given for, named or not.
        public var forwardedHeaderNames: Set<String> = []
        /// Whether cookies of an answer are sent with later loads; no unless set.
        ///
        /// Along a chain of redirects they are sent in any case. Those that are kept are forgotten with the
        /// loader; they are no part of cache keys, so set it only where they change no image.
        public var keepsCookies = false
        /// Which addresses may be connected to; any unless set.
        ///
        /// It is checked at each hop, for each address that the host's name has, and again on the address of
        /// each connection before a request is sent on it; a name that leads elsewhere in between gains
        /// nothing. With a ``proxy`` the second check is the proxy's own affair, as it makes the connection.
        public var addressPolicy = AddressPolicy.any
        /// The proxy that every connection goes through; `nil`, none, unless set.
        public var proxy: Proxy?
        /// Whether a ``proxy`` that is not set is taken from the environment, as by `curl`: `http_proxy`,
        /// `https_proxy`, `all_proxy`, `no_proxy`; false unless set.
        ///
        /// They are read when the loader is made, and left alone where there is an ``addressPolicy``, which
        /// could not look at what a proxy connects to.
        public var usesEnvironmentProxies = false
        /// The socket in the file system that every connection goes to, such as a local server's; `nil`,
        /// none, unless set.
        ///
        /// Hosts only name what is asked for then, and the address policy has nothing to look at.
        public var unixSocketPath: String?
        /// Certificates that are trusted beside those of the system; none unless set.
        public var additionalTrustRoots: [TrustRoots] = []
        /// The statuses that carry an image; 200...299 unless set.
        public var acceptedStatuses = Set(200...299)
        /// The types that are accepted, such as `image/png` or `image/*`; `nil`, any, unless set.
        public var acceptedContentTypes: [String]?
        /// The `User-Agent` that is sent where the request has none.
        public var userAgent = "Calotype"
        /// The `Accept` that is sent where the request has none; ``HTTPDataLoader/standardAccept`` unless
        /// set, and ``HTTPDataLoader/publicWebAccept`` in loaders of the public web.
        public var accept = HTTPDataLoader.standardAccept

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
