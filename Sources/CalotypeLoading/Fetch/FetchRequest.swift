public import FoundationEssentials

/// A request for the bytes behind a URL.
public struct FetchRequest: Sendable {
    /// The URL to load.
    public var url: URL
    /// Header fields to send, in order; loaders that do not need them ignore them.
    public var headers: [HeaderField]
    /// Header fields for one URL in a chain of redirects; none unless set.
    public var conditions: FetchConditions?
    /// The most bytes that the body may have; 64 MiB unless set.
    public var maxByteCount: Int
    /// The priority; may change until the load has begun.
    public var priority: LivePriority
    /// The method; `GET` unless set.
    ///
    /// Loaders of schemes other than HTTP ignore it.
    public var method = "GET"
    /// The body of the request; none unless set.
    public var body: Data?
    /// The accepted statuses, in place of the loader's; as configured there unless set.
    ///
    /// Middleware that needs all responses widens it, and checks the status itself.
    public var acceptedStatuses: Set<Int>?
    /// Whether a redirect to a URL is permitted, in addition to the loader's rules; called for each redirect;
    /// any unless set.
    public var permitsRedirect: (@Sendable (URL) -> Bool)?
    /// The retry rule, in place of the policy of a ``RetryingLoader``; that policy unless set.
    ///
    /// Requests other than a plain GET are retried only if this is set.
    public var retryRule: (any RetryRule)?
    /// Whether a ``RetryingLoader`` must not retry; false unless set.
    public var isSingleAttempt = false
    /// Returns the reason for not contacting a URL now; called for each redirect and before each request;
    /// none is refused unless set.
    package var refusal: (@Sendable (URL) -> FetchError?)?
    /// Whether a broken body may wait for another connection; called before it does; true unless set.
    package var mayResume: (@Sendable () -> Bool)?
    /// Waits for budget for a body of which middleware has collected this many bytes; unlimited unless set.
    package var awaitBudget: (@Sendable (_ byteCount: Int) async throws -> Void)?
    /// The time when the load fails, whatever it waits for, including retries; the loader's own limits unless
    /// set.
    package var deadline: ContinuousClock.Instant?
    /// The tally in which loaders count their work; no counting unless set.
    public var tally: FetchTally?

    /// Whether the request has no side effects, so that it can be sent twice.
    package var isPlainGet: Bool { method == "GET" && body == nil }

    /// Creates a request; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - url: The URL to load.
    ///   - headers: Header fields to send.
    ///   - maxByteCount: The most bytes that the body may have.
    ///   - priority: The priority; normal unless set.
    public init(
        url: URL,
        headers: [HeaderField] = [],
        maxByteCount: Int = 64 << 20,
        priority: LivePriority = LivePriority()
    ) {
        self.url = url
        self.headers = headers
        self.maxByteCount = maxByteCount
        self.priority = priority
    }
}
