import Calotype
import CalotypeCore
import CalotypeLoading

/// The pipeline requests of a target, ready to be loaded.
struct TargetRequests {
    let requests: NegotiatedRequests
    /// Whether a watermark is stale by HTTP, so that the response must not be cached for long.
    var hasStaleWatermark = false

    /// Returns the request for a negotiated format; `nil` for a format that is not offered.
    func request(for negotiation: Negotiation) throws(RequestError) -> ImageRequest? {
        try requests.request(for: negotiation)
    }
}

/// The bytes of watermarks are loaded before the request for the result (decision 0372).
extension ImageService {
    /// Returns the requests of a target, with its watermarks, which are decoded when a result is made.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - name: A text that differs for other targets, and for other hints.
    ///   - deadline: The end of the wait for watermarks.
    /// - Returns: The requests.
    /// - Throws: ``WatermarkError`` if one cannot be loaded; ``RequestError``; `CancellationError`.
    func requests(
        of target: ParsedTarget,
        named name: String,
        until deadline: ContinuousClock.Instant
    ) async throws -> TargetRequests {
        guard !target.watermarks.isEmpty else { return TargetRequests(requests: target.requests) }
        let (pictures, isStale) = try await pictures(of: target, until: deadline)
        let requests = try watermarks.requests(of: target, named: name, adding: pictures, configuration)
        return TargetRequests(requests: requests, hasStaleWatermark: isStale)
    }

    /// Returns the watermarks of a target, and whether one is stale; their bytes are cached for a decode.
    private func pictures(
        of target: ParsedTarget,
        until deadline: ContinuousClock.Instant
    ) async throws -> (WatermarkPictures, isStale: Bool) {
        var pictures = WatermarkPictures(opacity: configuration.watermarkOpacity)
        var isStale = false
        do {
            for mark in target.watermarks {
                let original = try await pipeline.data(for: mark.request, until: deadline)
                isStale = isStale || original.isStale
                pictures.pictures[mark.source] = try await watermarks.picture(
                    of: mark,
                    original,
                    by: pipeline,
                    time: configuration.timeSource,
                    until: deadline
                )
            }
        } catch let error as LoadError {
            throw WatermarkError(underlying: error)
        }
        return (pictures, isStale)
    }

    /// Returns the result of a request with the watermarks of a target.
    ///
    /// Watermarks that left memory while the original was awaited are loaded once more.
    ///
    /// - Throws: `LoadError`, which may contain a ``WatermarkError``; a ``WatermarkError``; or
    ///   `CancellationError`.
    func data(
        for made: ImageRequest,
        of target: ParsedTarget,
        until deadline: ContinuousClock.Instant
    ) async throws -> EncodedImage {
        do {
            return try await pipeline.data(for: made, until: deadline)
        } catch let error as LoadError where WatermarkError(in: error)?.isEvicted == true {
            _ = try await pictures(of: target, until: deadline)
            return try await pipeline.data(for: made, until: deadline)
        }
    }

    /// Whether the origins allow caching a result: that of the original, and those of its watermarks.
    func mayKeepResult(of target: ParsedTarget) -> Bool {
        mayBeKept(target)
            && target.watermarks.allSatisfy { !$0.isRemote || pipeline.record(of: $0.request) != nil }
    }

    /// Returns the freshness of a result: that of the original and its watermarks; `nil` if they have none.
    func freshness(of target: ParsedTarget, at now: Timestamp) -> RelayedFreshness? {
        let sources = [target.original] + target.watermarks.filter(\.isRemote).map(\.request)
        return .combined(
            sources.compactMap { pipeline.record(of: $0).map { RelayedFreshness($0, at: now) } }
        )
    }
}
