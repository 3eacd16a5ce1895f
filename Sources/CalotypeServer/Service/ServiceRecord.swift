public import Calotype

/// The origin of a response, as shown in `X-Cache`.
public enum CacheOutcome: String, Hashable, CaseIterable, Sendable {
    /// The memory cache of this process.
    case memory
    /// The disk cache of this machine.
    case disk
    /// The disk cache, after revalidation with the origin.
    case revalidated
    /// A response that is stale by HTTP, used during revalidation or if the origin fails.
    case stale
    /// No cache: it was loaded or rendered for this request.
    case miss
}

/// The record of a response, for counters and a log line.
public struct ServiceRecord: Sendable {
    /// The request ID; `nil` if there is none.
    public var requestID: String?
    /// The address of the client; `nil` if unknown.
    public var client: String?
    /// The method of the request; `nil` if it could not be parsed.
    public var method: String?
    /// The request target as received; `nil` if it could not be parsed.
    public var target: String?
    /// The status of the response; 499 if the client had disconnected.
    public var status: Int
    /// The origin of the image; `nil` if there is no image.
    public var cache: CacheOutcome?
    /// The URL of the original, without query, at most 300 characters; `nil` if the URL was not parsed, or
    /// its signature was invalid.
    public var source: String?
    /// The number of bytes of the body.
    public var byteCount = 0
    /// The time from the request to the response.
    public var duration: Duration
    /// The durations of the steps.
    public var timings = StageTimings()
    /// Whether another record reports the same work: of several requests that share work, only one counts it.
    public var sharesWork = false
    /// The error code; `nil` after success.
    public var errorCode: String?
    /// The step that failed, or that was in progress at the timeout: `url`, `cache`, `queue`, `fetch`,
    /// `decode`, `transform`, `encode` or `store`; `nil` after success.
    public var errorStep: String?
    /// The error detail, for the log only; `nil` after success.
    public var errorDetail: String?

    /// Creates a record.
    public init(requestID: String? = nil, status: Int, duration: Duration) {
        (self.requestID, self.status, self.duration) = (requestID, status, duration)
    }
}

extension ServiceRecord {
    /// Creates the record of a request without a response so far.
    init(of request: ServiceRequest) {
        self.init(requestID: request.requestID, status: 499, duration: .zero)
        (method, target, client) = (request.method, request.target, request.client)
    }

    /// The part of ``target`` that may be logged: at most 300 bytes.
    ///
    /// It ends before a query, also one of a source in the path, and before a user in the URL of a source,
    /// since both may be secret. It ends before a source, or a watermark's URL, in base64 with either.
    public var path: String? { target.map(LoggedPath.text(of:)) }
}

/// An observer that receives each response record exactly once, on the answering task; it must return
/// quickly.
public protocol ServiceObserver: Sendable {
    /// Called after each response.
    func didRespond(_ record: ServiceRecord)
}

extension StageTimings {
    /// The steps that were needed, in order.
    var named: [(name: String, duration: Duration)] {
        [
            ("queue", queue), ("fetch", fetch), ("decode", decode), ("transform", transform),
            ("encode", encode),
        ].filter { $0.duration > .zero }
    }

    /// Returns the value of `Server-Timing` (W3C), in milliseconds.
    func serverTiming(total: Duration) -> String {
        (named + [("total", total)]).map { "\($0.name);dur=\($0.duration.millisecondsText)" }
            .joined(separator: ", ")
    }
}

extension Duration {
    /// The milliseconds with three decimal places.
    var millisecondsText: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let digits = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}
