public import FoundationEssentials

/// A loader of the bytes behind a URL: from the network, a file, or the URL itself.
public protocol DataLoader: Sendable {
    /// Starts a load and returns once the response's header is there.
    ///
    /// Cancelling the calling task cancels the load; so does releasing the response's body.
    ///
    /// - Throws: ``FetchError``, or `CancellationError`.
    func response(for request: FetchRequest) async throws -> FetchResponse

    /// Returns what responses depend on beyond the request, as a part of cache keys.
    ///
    /// Requests of different identities share no data, now or later. Only a loader that adds its own
    /// credentials needs an implementation; see ``LoaderMiddleware/cacheIdentity(for:)``.
    func cacheIdentity(for request: FetchRequest) -> String

    /// Whether ``cacheIdentity(for:)`` may return a non-empty text; true unless implemented.
    ///
    /// If false, images in memory are found without calling it.
    var hasCacheIdentity: Bool { get }

    /// The current activity; takes a short lock.
    var activity: LoaderActivity { get }

    /// Shuts the loader down: new loads fail with ``FetchError/Code/closed``, running ones may finish.
    ///
    /// Returns once no load is running; may be called more than once. If the calling task is cancelled,
    /// running loads are aborted. A loader without open resources needs no implementation.
    func shutdown() async
}

extension DataLoader {
    /// Returns an empty text: responses depend on the request alone.
    public func cacheIdentity(for request: FetchRequest) -> String { "" }

    /// Whether there may be an identity: true.
    public var hasCacheIdentity: Bool { true }

    /// The activity of an idle loader.
    public var activity: LoaderActivity { LoaderActivity() }

    /// Does nothing.
    public func shutdown() async {}
}

/// A redirect response.
public struct FetchRedirect: Hashable, Sendable {
    /// The URL that responded.
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

/// The header of a response, and its body as it arrives.
public struct FetchResponse: Sendable {
    /// The origin of the bytes.
    public enum Origin: Hashable, Sendable {
        /// Another machine.
        case network
        /// A file of this machine.
        case file
        /// The URL itself, or bytes passed by the program.
        case inline
    }

    /// The origin of the bytes.
    public var origin: Origin
    /// The URL of the response, after redirects.
    public var url: URL
    /// The redirects that led there, in order; none unless set.
    public var redirects: [FetchRedirect] = []
    /// The time from sending the last request to receiving its response header; `nil`, unknown, unless set.
    ///
    /// It excludes time in a queue, retries and redirects: RFC 9111 §4.2.3 counts it as age.
    public var responseTime: Duration?
    /// The status if the protocol has one, otherwise 200.
    public var status: Int
    /// The header fields, in order.
    public var headers: [HeaderField]
    /// The number of bytes announced for the body, or `nil`.
    public var expectedByteCount: Int?
    /// The body, in chunks of any size; throws ``FetchError`` if it is incomplete.
    public var body: FetchBody

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - origin: The origin of the bytes.
    ///   - url: The URL of the response.
    ///   - status: The status if the protocol has one; 200 unless given.
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
