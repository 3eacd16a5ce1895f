/// Where an answer came from, as `X-Cache` says.
public enum CacheOutcome: String, Hashable, CaseIterable, Sendable {
    /// The memory of this process.
    case memory
    /// A store of this machine.
    case disk
    /// A store of this machine, after the origin was asked whether it has something newer.
    case revalidated
    /// A store that several machines share.
    case shared
    /// Something that HTTP calls stale, used while its origin is asked, or where it fails.
    case stale
    /// It has just been made, or loaded.
    case miss
}

/// How long the parts of an answer took that was made; `nil` for what was not needed.
public struct ServiceTimings: Hashable, Sendable {
    /// Waiting for a place among the work.
    public var queue: Duration?
    /// Getting the original.
    public var fetch: Duration?
    /// Decoding it.
    public var decode: Duration?
    /// Transforming it.
    public var transform: Duration?
    /// Encoding the result.
    public var encode: Duration?

    /// Creates timings of nothing.
    public init() {}

    /// The value of `Server-Timing` (W3C), in milliseconds; what was not needed is left out.
    ///
    /// - Parameter total: How long the whole took.
    /// - Returns: The value.
    public func field(total: Duration) -> String {
        let parts: [(String, Duration?)] = [
            ("queue", queue), ("fetch", fetch), ("decode", decode), ("transform", transform),
            ("encode", encode), ("total", total),
        ]
        return parts.compactMap { name, duration in
            duration.map { "\(name);dur=\($0.millisecondsText)" }
        }.joined(separator: ", ")
    }
}

/// What is known of an answer once it is made: for counters and for one line of a log.
public struct ServiceRecord: Sendable {
    /// The request's own mark; `nil` where it has none.
    public var requestID: String?
    /// The address that the request came from; `nil` where it is not known.
    public var client: String?
    /// The method of the request; `nil` where it could not be read.
    public var method: String?
    /// What the request line asked for, as it came; `nil` where it could not be read.
    public var target: String?
    /// The status of the answer; 499 where the client had left.
    public var status: Int
    /// Where the picture came from; `nil` where there is none.
    public var cache: CacheOutcome?
    /// Where the original is, without query, at most 300 characters; `nil` where the URL was not understood,
    /// or its signature was wrong.
    public var source: String?
    /// The bytes of the body.
    public var byteCount = 0
    /// From the request to its answer.
    public var duration: Duration
    /// Its parts.
    public var timings = ServiceTimings()
    /// Whether another record has told of the same work: of several that waited for it only one counts it.
    public var sharesWork = false
    /// The fixed word for what went wrong; `nil` where nothing did.
    public var errorCode: String?
    /// The step that failed, or that the client waited for in vain: `url`, `cache`, `queue`, `fetch`,
    /// `decode`, `transform`, `encode` or `store`; `nil` where nothing went wrong.
    public var errorStep: String?
    /// What went wrong, for the log alone; `nil` where nothing did.
    public var errorDetail: String?

    /// Creates a record.
    public init(requestID: String? = nil, status: Int, duration: Duration) {
        (self.requestID, self.status, self.duration) = (requestID, status, duration)
    }
}

extension ServiceRecord {
    /// What a log has of ``target``: at most 300 bytes.
    ///
    /// Up to the query, its own and that of a source that is written in it, or to a user before the host of
    /// one, wherever they begin: they may hold secrets. Nothing of a source in base64 that has either.
    public var path: String? { target.map(LoggedPath.text(of:)) }
}

/// Is told of each answer, exactly once; on the task that answers, so that it must return soon.
public protocol ServiceObserver: Sendable {
    /// An answer has been made.
    func answered(_ record: ServiceRecord)
}

extension Duration {
    /// Milliseconds with three digits behind the point.
    var millisecondsText: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let digits = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}
