public import FoundationEssentials

/// A request for the bytes behind a URL.
public struct FetchRequest: Sendable {
    /// What to load.
    public var url: URL
    /// Header fields to send, in order; loaders that have no use for them ignore them.
    public var headers: [HeaderField]
    /// Header fields for one URL of a chain of redirects alone; none unless set.
    public var conditions: FetchConditions?
    /// The most bytes the body may have; 64 MiB unless set.
    public var byteCountMax: Int
    /// How urgent it is; may change until the load has begun.
    public var priority: LivePriority
    /// The method; `GET` unless set.
    ///
    /// Loaders of other schemes than HTTP ignore it.
    public var method = "GET"
    /// The bytes that go with the request; none unless set.
    public var body: Data?
    /// The statuses that carry what is wanted, in place of those of the loader; as it is configured unless
    /// set.
    ///
    /// Middleware that wants to see all widens it, and looks at the status itself.
    public var acceptedStatuses: Set<Int>?
    /// Where redirects may lead, beside what the loader permits; asked for each; anywhere unless set.
    public var permitsRedirect: (@Sendable (URL) -> Bool)?
    /// When it is tried again, in place of the policy of a ``RetryingLoader``; by that unless set.
    ///
    /// What is not a plain GET is tried again only where this is set.
    public var retryRule: (any RetryRule)?
    /// Whether a ``RetryingLoader`` leaves it at the first try; false unless set.
    public var isTriedOnce = false
    /// Why the target of a redirect is not asked now; asked for each, and none is refused unless set.
    package var refusal: (@Sendable (URL) -> FetchError?)?
    /// When it has failed, whatever it waits for, retries included; only a loader's own limits unless set.
    package var deadline: ContinuousClock.Instant?
    /// Where loaders count what it took; nothing is counted unless set.
    public var tally: FetchTally?

    /// Whether it only asks for something, so that asking twice does no harm.
    package var isPlainGet: Bool { method == "GET" && body == nil }

    /// Creates a request; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - url: What to load.
    ///   - headers: Header fields to send.
    ///   - byteCountMax: The most bytes the body may have.
    ///   - priority: How urgent it is; normal unless set.
    public init(
        url: URL,
        headers: [HeaderField] = [],
        byteCountMax: Int = 64 << 20,
        priority: LivePriority = LivePriority()
    ) {
        self.url = url
        self.headers = headers
        self.byteCountMax = byteCountMax
        self.priority = priority
    }
}
