/// Where a prefetch leaves what it loads.
public enum PrefetchDestination: Hashable, Sendable {
    /// Decoded in memory, and the original where the request's policy keeps it.
    case memory
    /// In the stores, and nothing in memory: the original bytes, or the variant where the request names an
    /// encoding. Without one nothing is decoded.
    case disk
}

/// How one request of a prefetch ended.
public enum PrefetchOutcome: Sendable {
    /// It was loaded, from there.
    case loaded(from: LoadedImage.Source)
    /// It was there already; or its original is a local file or a `data:` URL, which is never
    /// copied to disk.
    case skipped
    /// It could not be loaded, or not be kept.
    case failed(LoadError)
}

/// What has become of the requests of a prefetch.
public struct PrefetchReport: Hashable, Sendable {
    /// How many were loaded.
    public internal(set) var loadedCount = 0

    /// How many were there already.
    public internal(set) var skippedCount = 0

    /// How many could not be loaded.
    public internal(set) var failedCount = 0

    /// How many there are in all; `nil` where a sequence does not tell before its end.
    public internal(set) var totalCount: Int?

    /// How many have ended, in whichever way.
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

    /// How it ended.
    public let outcome: PrefetchOutcome

    /// What has become of all so far, this one included.
    public let report: PrefetchReport
}
