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
        try checkPastFailure(loading)
        return try await step(.load, of: loading.request, byteCount: { $0.original.data.count }) {
            var errors: [FetchError] = []
            for url in [loading.request.url] + loading.request.alternatives {
                do {
                    let fetched = try await fetch(loading.fetchRequest(to: url), loading)
                    failures.withLock { $0.remove(loading.source) }
                    return fetched
                } catch let error as FetchError {
                    errors.append(error)
                }
            }
            throw remembered(errors, loading)
        }
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
            sentAt: sentAt,
            receivedAt: receivedAt
        )
        var original = Original(data: transfer.take(), source: LoadedImage.Source(response.origin))
        original.receivedAt = receivedAt
        original.keeping.isAllowed = request.httpCaching == .ignoresHTTP || !request.isRemote || record != nil
        return Fetched(original: original, record: record)
    }

    private func checkPastFailure(_ loading: OriginalLoading) throws {
        let (source, now) = (loading.source, configuration.now())
        guard loading.request.isRemote, !loading.request.ignoresPastFailure else { return }
        if let failure = failures.withLock({ $0.failure(of: source, at: now) }) { throw failure }
    }

    /// What the first source failed with; remembered where all have failed for good.
    private func remembered(_ errors: [FetchError], _ loading: OriginalLoading) -> LoadError {
        // The request's own URL has been asked.
        let failure = LoadError(stage: .load, underlying: errors[0])
        if loading.request.isRemote, errors.allSatisfy(\.isPermanent) {
            let now = configuration.now()
            failures.withLock { $0.note(failure, of: loading.source, at: now) }
        }
        return failure
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
