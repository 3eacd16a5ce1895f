internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What a loader gave.
struct Fetched: Sendable {
    /// The bytes.
    var original: Original
    /// What HTTP says of them; `nil` where they must not be stored, or came by other means.
    var record: ResponseRecord?
}

extension ImagePipeline {
    /// Loads the bytes from the request's URL, or from the first of its alternatives that has them.
    ///
    /// - Parameter loading: What to load.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError`` with what the request's own URL failed with, or `CancellationError`.
    func fetch(_ loading: OriginalLoading) async throws -> Fetched {
        let places = try places(loading)
        return try await step(.load, of: loading.request, byteCount: { $0.original.data.count }) {
            var failure: LoadError?
            for place in places {
                do {
                    let fetched = try await fetch(loading.fetchRequest(to: place.url), loading)
                    failures.withLock { $0.remove(place.name) }
                    return fetched
                } catch let error as FetchError {
                    let error = remembered(error, of: place, loading)
                    failure = failure ?? error
                }
            }
            throw failure ?? LoadError(stage: .cache, underlying: NotInCacheError())
        }
    }

    /// Where the bytes may be.
    private struct Place {
        let url: URL
        /// What its failures are remembered by.
        let name: String
    }

    /// The request's own URL and its alternatives, without those that have failed for good of late.
    ///
    /// - Parameter loading: What to load.
    /// - Returns: At least one place.
    /// - Throws: The failure of the first where none is left; ``LoadError`` where nobody may be asked.
    private func places(_ loading: OriginalLoading) throws -> [Place] {
        let (request, now) = (loading.request, configuration.now())
        try request.validateHeaders()
        if request.httpCaching == .respectsHTTP, request.headers.isOnlyIfCached {
            throw LoadError(stage: .cache, underlying: NotInCacheError())
        }
        let all =
            [Place(url: request.url, name: loading.source)]
            + request.alternatives.map { Place(url: $0, name: "\(loading.source) \($0.absoluteString)") }
        guard request.isRemote, !request.ignoresPastFailure else { return all }
        let past = failures.withLock { memory in all.map { memory.failure(of: $0.name, at: now) } }
        let left = zip(all, past).filter { $0.1 == nil }.map(\.0)
        if left.isEmpty, let failure = past.first.flatMap(\.self) { throw failure }
        return left
    }

    /// Loads the bytes from one source.
    ///
    /// A body that breaks off and could not be continued is asked for once more: here, where no byte of it
    /// has been handed on, it can begin anew.
    private func fetch(_ request: FetchRequest, _ loading: OriginalLoading) async throws -> Fetched {
        var mayBeginAnew = true
        while true {
            let sentAt = configuration.timeSource.now()
            let response = try await configuration.loader.response(for: request)
            do {
                return try await collect(response, to: request, sentAt: sentAt, loading)
            } catch let error as FetchError where error.isRetryable && mayBeginAnew {
                mayBeginAnew = false
            }
        }
    }

    /// The whole of an answer, told to those who look on as it comes.
    func collect(
        _ response: FetchResponse,
        to fetch: FetchRequest,
        sentAt: Timestamp,
        _ loading: OriginalLoading
    ) async throws -> Fetched {
        let (transfer, request) = (loading.context.board, loading.request)
        let receivedAt = configuration.timeSource.now()
        transfer.begin(expectedByteCount: response.expectedByteCount)
        for try await chunk in response.body {
            let progress = transfer.receive(chunk)
            // Loaders check it; one that does not must not fill the memory.
            guard progress.byteCount <= fetch.byteCountMax else {
                throw FetchError(.bodyTooLarge, detail: "more than the allowed \(fetch.byteCountMax) bytes")
            }
            notify {
                $0.pipeline(
                    didReceive: progress.byteCount,
                    expected: progress.expectedByteCount,
                    of: request
                )
            }
        }
        let record = ResponseRecord(
            request: fetch,
            response: response,
            sentAt: response.sentAt(receivedAt) ?? sentAt,
            receivedAt: receivedAt
        )
        var original = Original(data: transfer.take(), source: LoadedImage.Source(response.origin))
        original.receivedAt = receivedAt
        original.keeping.isAllowed = request.httpCaching == .ignoresHTTP || !request.isRemote || record != nil
        return Fetched(original: original, record: record)
    }

    /// The failure of a place; remembered where it is one for good.
    private func remembered(
        _ error: FetchError,
        of place: Place,
        _ loading: OriginalLoading
    ) -> LoadError {
        let failure = LoadError(stage: .load, underlying: error)
        if loading.request.isRemote, error.isPermanent {
            let now = configuration.now()
            failures.withLock { $0.note(failure, of: place.name, at: now) }
        }
        return failure
    }
}

extension ImageRequest {
    /// Refuses fields whose answer may be word that nothing has changed, in place of an image.
    ///
    /// The pipeline sends them itself where they help.
    fileprivate func validateHeaders() throws(LoadError) {
        guard let name = headers.conditionalName else { return }
        let error = FetchError(
            .invalidRequest,
            detail: "leave out the header field \(name): the pipeline sends it where httpCaching asks for it"
        )
        throw LoadError(stage: .load, underlying: error)
    }
}

extension FetchResponse {
    /// When the request that it answers was sent, where its loader knows.
    func sentAt(_ receivedAt: Timestamp) -> Timestamp? {
        responseTime.map { receivedAt + (.zero - $0) }
    }
}

extension LoadedImage.Source {
    fileprivate init(_ origin: FetchResponse.Origin) {
        switch origin {
        case .network: self = .network
        case .file: self = .file
        case .inline: self = .data
        }
    }
}
