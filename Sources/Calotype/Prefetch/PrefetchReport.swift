/// The destination of the results of a prefetch.
public enum PrefetchDestination: Hashable, Sendable {
    /// Memory, with decoded images; the original is stored too if the request's policy stores it.
    case memory
    /// The stores, and not memory: the original bytes, or the variant if the request has an encoding. Without
    /// an encoding nothing is decoded.
    case disk
}

/// The outcome of one request of a prefetch.
public enum PrefetchOutcome: Sendable {
    /// The image was loaded, from this source.
    case loaded(from: LoadedImage.Source)
    /// The image was cached already, or its original is a local file or a `data:` URL, which is never copied
    /// to disk.
    case skipped
    /// The image could not be loaded, or not stored.
    case failed(LoadError)
}

/// The results of a prefetch.
public struct PrefetchReport: Hashable, Sendable {
    /// The number of loaded requests.
    public internal(set) var loadedCount = 0

    /// The number of skipped requests.
    public internal(set) var skippedCount = 0

    /// The number of failed requests.
    public internal(set) var failedCount = 0

    /// The number of all requests; `nil` while the length of a sequence is unknown.
    public internal(set) var totalCount: Int?

    /// The number of requests that have ended, with any outcome.
    public var finishedCount: Int { loadedCount + skippedCount + failedCount }

    mutating func count(_ outcome: PrefetchOutcome) {
        switch outcome {
        case .loaded: loadedCount += 1
        case .skipped: skippedCount += 1
        case .failed: failedCount += 1
        }
    }
}

/// The end of one request of a prefetch.
public struct PrefetchStep: Sendable {
    /// The request.
    public let request: ImageRequest

    /// The outcome of the request.
    public let outcome: PrefetchOutcome

    /// The results so far, with this request.
    public let report: PrefetchReport
}
