internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The URLs that may have the bytes, and their past failures.
extension OriginalJob {
    /// A URL that may have the bytes.
    struct Place {
        let url: URL
        /// The name in the keys of remembered failures.
        fileprivate let name: String
        /// True for the request's own URL.
        let isOwn: Bool
    }

    /// Returns the request's own URL and its alternatives, without those that failed permanently of late.
    ///
    /// - Returns: At least one place.
    /// - Throws: The failure of the first if none is left; ``LoadError`` if the request must not be loaded.
    func places() throws -> [Place] {
        try request.validateHeaders()
        if request.httpCaching == .respectsHTTP, request.headers.isOnlyIfCached { throw Self.notInCache }
        let staysHome = request.optionsBox?.options.body != nil
        let alternatives = request.alternatives.filter { url in
            !staysHome || url.originText == request.url.originText
        }.map { Place(url: $0, name: "alternative \($0.absoluteString)", isOwn: false) }
        let all = [Place(url: request.url, name: "original", isOwn: true)] + alternatives
        guard request.isRemote, !request.ignoresPastFailure, !stages.failures.loads.withLock(\.isEmpty) else {
            return all
        }
        let now = stages.configuration.now()
        let past = stages.failures.loads.withLock { memory in
            all.map { keys(of: $0).compactMap { memory.failure(of: $0, at: now) }.first }
        }
        let left = zip(all, past).filter { $0.1 == nil }.map(\.0)
        if left.isEmpty, let failure = past.first.flatMap(\.self) { throw failure }
        return left
    }

    private func failureKey(of place: Place) -> ImageKey {
        place.isOwn ? key : ImageKey(source: context.source, variant: place.name)
    }

    /// The key of a remembered body above the limit of the request.
    private func sizeKey(of place: Place) -> ImageKey {
        let text = "above \(request.decoding.limits.maxByteCount) bytes, \(place.name)"
        return ImageKey(source: context.source, variant: text)
    }

    /// The key of remembered bytes that are not an image for the codecs of the request.
    private func imageKey(of place: Place) -> ImageKey {
        let text = "undecodable \(context.codecsHash(request.decoding.damage)), \(place.name)"
        return ImageKey(source: context.source, variant: text)
    }

    /// The key of a remembered decode that exceeded the time limit of the request.
    private func timeKey(of place: Place) -> ImageKey {
        let text = "slow \(context.codecsHash(request.decoding.limits.maxDuration)), \(place.name)"
        return ImageKey(source: context.source, variant: text)
    }

    private func keys(of place: Place) -> [ImageKey] {
        [failureKey(of: place), sizeKey(of: place), imageKey(of: place), timeKey(of: place)]
    }

    /// Forgets earlier failures of the place and its origin.
    func noteSuccess(of place: Place) {
        ticket.noteSuccess()
        stages.failures.loads.withLock { loads in
            guard !loads.isEmpty else { return }
            for key in keys(of: place) { loads.remove(key) }
        }
        stages.failures.noteSuccess(of: place.url, for: context)
    }

    /// Remembers a permanent failure, or that an origin is failing.
    func note(_ error: LoadError, of place: Place) {
        guard request.isRemote, !error.isPassing else { return }
        let isPermanent = (error.underlying as? FetchError)?.isPermanent
        if error.code == .bodyTooLarge {
            stages.failures.noteLoad(error, of: sizeKey(of: place), ticket: ticket)
        } else if error.isUndecodable {
            stages.failures.noteLoad(error, of: imageKey(of: place), ticket: ticket)
        } else if error.hasTimedOut {
            stages.failures.noteLoad(error, of: timeKey(of: place), ticket: ticket)
        } else if isPermanent ?? (error.fault == .input) {
            stages.failures.noteLoad(error, of: failureKey(of: place), ticket: ticket)
        } else if error.isOriginFailure {
            stages.failures.noteOrigin(error, of: place.url, for: context)
        }
    }
}

extension LoadError {
    /// True if other codecs, or a decode that accepts a part of an image, may decode the same bytes.
    fileprivate var isUndecodable: Bool {
        let error = underlying as? DecodeError
        return error?.fault == .input && error?.code != .crashed
    }
}

extension ImageRequest {
    /// Rejects conditional header fields, which may be answered with 304 in place of an image.
    ///
    /// The pipeline sends them itself where they help.
    fileprivate func validateHeaders() throws(LoadError) {
        guard let name = headers.conditionalName else { return }
        let error = FetchError(
            .invalidRequest,
            detail: "remove the header field \(name): the pipeline sends it if httpCaching requires it"
        )
        throw LoadError(stage: .load, underlying: error)
    }
}
