public import FoundationEssentials

/// Turns a URL into bytes: from the network, a file, or the URL itself.
public protocol DataLoader: Sendable {
    /// Starts a load and returns once the head of the answer is there.
    ///
    /// Cancelling the calling task ends the load; so does dropping the response's body.
    ///
    /// - Throws: ``FetchError``, or `CancellationError`.
    func response(for request: FetchRequest) async throws -> FetchResponse

    /// What answers depend on that is not in the request; cache keys hold it.
    ///
    /// Requests of different identities share nothing, now or later. Only a loader that adds credentials of
    /// its own needs an implementation; see ``LoaderMiddleware/cacheIdentity(for:)``.
    func cacheIdentity(for request: FetchRequest) -> String

    /// Whether ``cacheIdentity(for:)`` may give anything but nothing; true unless said otherwise.
    ///
    /// Where it is false, images are found in memory without asking.
    var hasCacheIdentity: Bool { get }

    /// What it is doing at the moment; takes a lock for an instant.
    var activity: LoaderActivity { get }

    /// Ends the loader's work: new loads fail with ``FetchError/Code/closed``, running ones may finish.
    ///
    /// Returns when nothing runs any more; may be called more than once. Where the calling task is cancelled,
    /// what still runs is cut off. A loader that holds nothing open needs no implementation.
    func shutdown() async
}

extension DataLoader {
    /// Empty: answers depend on the request alone.
    public func cacheIdentity(for request: FetchRequest) -> String { "" }

    /// True: it is asked.
    public var hasCacheIdentity: Bool { true }

    /// Idle: it has no queue that it tells of.
    public var activity: LoaderActivity { LoaderActivity() }

    /// Does nothing.
    public func shutdown() async {}
}

/// An answer that led elsewhere.
public struct FetchRedirect: Hashable, Sendable {
    /// The URL that answered.
    public var url: URL
    /// The status: 301, 302, 303, 307 or 308.
    public var status: Int
    /// The header fields, in order.
    public var headers: [HeaderField]

    /// Creates a redirect.
    public init(url: URL, status: Int, headers: [HeaderField]) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}

/// The head of an answer, and its body as it comes.
public struct FetchResponse: Sendable {
    /// Where the bytes came from.
    public enum Origin: Hashable, Sendable {
        /// Another machine.
        case network
        /// A file of this machine.
        case file
        /// The URL itself.
        case inline
    }

    /// Where the bytes come from.
    public var origin: Origin
    /// The URL that answered: after redirects.
    public var url: URL
    /// The redirects that led there, the first first; none unless set.
    public var redirects: [FetchRedirect] = []
    /// How long the head took from the moment at which the request that it answers was sent; `nil`, not
    /// known, unless set.
    ///
    /// Time in a queue, retries and redirects are not in it: RFC 9111 §4.2.3 counts it as age.
    public var responseTime: Duration?
    /// The status where the protocol has one, else 200.
    public var status: Int
    /// The header fields, in order.
    public var headers: [HeaderField]
    /// The number of bytes announced for the body, or `nil`.
    public var expectedByteCount: Int?
    /// The body, in chunks of any size; throws ``FetchError`` where it does not come whole.
    public var body: FetchBody

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - origin: Where the bytes come from.
    ///   - url: The URL that answered.
    ///   - status: The status where the protocol has one.
    ///   - headers: The header fields.
    ///   - expectedByteCount: The number of bytes announced.
    ///   - body: The body.
    public init(
        origin: Origin,
        url: URL,
        status: Int = 200,
        headers: [HeaderField] = [],
        expectedByteCount: Int? = nil,
        body: FetchBody
    ) {
        self.origin = origin
        self.url = url
        self.status = status
        self.headers = headers
        self.expectedByteCount = expectedByteCount
        self.body = body
    }
}
