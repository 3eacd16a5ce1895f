internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What a loader gave, or a store.
struct Fetched: Sendable {
    /// The bytes.
    var original: Original
    /// What HTTP says of them; `nil` where they must not be stored, or came by other means.
    var record: ResponseRecord?
    /// Whether the length of the body was announced.
    var hasKnownLength = true

    /// Whether the bytes may be a part of what their origin has.
    func mayBeCut(_ error: LoadError) -> Bool {
        guard original.source == .network, let code = (error.underlying as? DecodeError)?.code else {
            return false
        }
        return code == .empty || code == .truncated && !hasKnownLength
    }

    /// The same without the bytes, of which nothing is held any more.
    func released() -> Stored {
        original.hold?.end()
        return Stored(record: record)
    }
}

/// An entry of a store that the origin may confirm; its bytes are read again when they are needed.
struct Stored: Sendable {
    /// The record of the origin's response.
    let record: ResponseRecord?
}

/// How the bytes come from the request's URL or an alternative to it.
extension OriginalJob {
    /// Where the bytes may be.
    struct Place {
        let url: URL
        /// What its failures are remembered by.
        let name: String
        /// Whether it is the request's own URL.
        let isOwn: Bool
    }

    /// The request's own URL and its alternatives, without those that have failed for good of late.
    ///
    /// - Returns: At least one place.
    /// - Throws: The failure of the first where none is left; ``LoadError`` where nobody may be asked.
    func places() throws -> [Place] {
        try request.validateHeaders()
        if request.httpCaching == .respectsHTTP, request.headers.isOnlyIfCached { throw Self.notInCache }
        let staysHome = request.optionsBox?.options.body != nil
        let alternatives = request.alternatives.filter { url in
            !staysHome || url.originText == request.url.originText
        }.map { url in
            Place(url: url, name: "\(source) \(url.absoluteString)", isOwn: false)
        }
        let all = [Place(url: request.url, name: source, isOwn: true)] + alternatives
        guard request.isRemote, !request.ignoresPastFailure else { return all }
        let now = pipeline.configuration.now()
        let past = pipeline.failures.withLock { memory in all.map { memory.failure(of: $0.name, at: now) } }
        let left = zip(all, past).filter { $0.1 == nil }.map(\.0)
        if left.isEmpty, let failure = past.first.flatMap(\.self) { throw failure }
        return left
    }

    /// Loads the bytes from one place, or has what a store has confirmed.
    ///
    /// A body that breaks off and could not be continued is asked for once more: here, where no byte of it
    /// has been handed on, it can begin anew.
    ///
    /// - Returns: New bytes, or the stored ones with a newer record.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func fetch(from place: Place, validating stored: Stored?, isImpatient: Bool) async throws -> Fetched {
        pipeline.loadCount.withLock { $0 += 1 }
        defer { pipeline.loadCount.withLock { $0 -= 1 } }
        let tally = FetchTally()
        var fetched = try await pipeline.step(
            .load,
            of: request,
            tally: tally,
            byteCount: { $0.original.data.count }
        ) {
            try await abandonmentAsFailure {
                try await exchange(with: place, validating: stored, isImpatient: isImpatient, tally)
            }
        }
        fetched.original.transactions = tally.counts.transactions
        return fetched
    }

    /// Asks one place until there is a whole answer.
    private func exchange(
        with place: Place,
        validating stored: Stored?,
        isImpatient: Bool,
        _ tally: FetchTally
    ) async throws -> Fetched {
        var conditions = place.isOwn ? stored?.record?.conditions : nil
        var mayBeginAnew = !isImpatient
        var partial = conditions == nil ? try await partialBody(of: place) : nil
        while true {
            var fetch = fetchRequest(to: place.url, conditions: conditions, isImpatient: isImpatient)
            fetch.tally = tally
            let sentAt = pipeline.configuration.timeSource.now()
            guard
                var response = try await answer(
                    to: fetch,
                    after: partial,
                    of: place,
                    isImpatient: isImpatient
                )
            else {
                // It is not the beginning of what the origin has now.
                partial = nil
                await forgetPartial(of: place)
                continue
            }
            if response.status == 304, let stored, conditions != nil {
                // Its turn ends before the store is read.
                response.body = FetchBody(Data())
                if let confirmed = try await confirmed(stored, by: response, to: fetch, sentAt) {
                    return confirmed
                }
                // It spoke of other bytes than those that are here.
                conditions = nil
                continue
            }
            do {
                let fetched = try await collect(response, to: fetch, sentAt: sentAt, place)
                if partial != nil { await forgetPartial(of: place) }
                return fetched
            } catch let error as FetchError
                where error.isRetryable && error.code != .timedOut && mayBeginAnew
            {
                mayBeginAnew = false
                tally.noteRetry()
                partial = try await partialBody(of: place)
                try await pipeline.configuration.pause(.milliseconds(250))
            }
        }
    }

    /// Runs what the loader does; where that ends as cancelled though nobody has cancelled it, it has failed.
    private func abandonmentAsFailure(_ body: () async throws -> Fetched) async throws -> Fetched {
        do {
            return try await body()
        } catch is CancellationError where !Task.isCancelled {
            let detail = "the loader cancelled the load, although the caller did not"
            throw FetchError(.abandoned, isRetryable: true, detail: detail)
        }
    }

    /// The head of the answer, which is waited for only a little where something else is at hand.
    func answer(to fetch: FetchRequest, isImpatient: Bool) async throws -> FetchResponse {
        let loader = pipeline.loader(for: request)
        let gate = pipeline.pauseGate
        guard isImpatient else {
            try await gate.pass(fetch.url.host())
            try checkIdentity()
            return try await loader.response(for: fetch)
        }
        try checkIdentity()
        let limit = pipeline.configuration.staleWait
        let tally = fetch.tally
        let failure: @Sendable () -> any Error = {
            // The wait in the loader's queue is no fault of this origin.
            tally?.isQueued == true
                ? FetchError(.overloaded, isRetryable: true, detail: "no free connection within \(limit)")
                : FetchError(.timedOut, detail: "no response within \(limit)")
        }
        return try await withTimeLimit(limit, failure) {
            try await gate.pass(fetch.url.host())
            return try await loader.response(for: fetch)
        }
    }

    private func confirmed(
        _ stored: Stored,
        by response: FetchResponse,
        to fetch: FetchRequest,
        _ sentAt: Timestamp
    ) async throws -> Fetched? {
        let now = pipeline.configuration.timeSource.now()
        let sent = response.sentAt(now) ?? sentAt
        let renewed = stored.record?.renewed(by: response, to: fetch, sentAt: sent, receivedAt: now)
        // Confirmed, and not to be kept any longer.
        let mayKeep = !response.forbidsStoring(for: fetch)
        guard let renewed, let current = try await self.stored() else { return nil }
        guard current.record?.hasValidators(of: stored.record) == true else {
            _ = current.released()
            return nil
        }
        return Fetched(original: current.original, record: mayKeep ? renewed : nil)
    }

    /// The whole of an answer, told to its observers as it comes.
    private func collect(
        _ response: FetchResponse,
        to fetch: FetchRequest,
        sentAt: Timestamp,
        _ place: Place
    ) async throws -> Fetched {
        let receivedAt = pipeline.configuration.timeSource.now()
        let expected = response.expectedByteCount
        let lease = try await pipeline.stages.fetching.lease(
            Self.room(for: 0, of: expected),
            of: response.url.originText,
            context.priority
        )
        context.progress.begin(expectedByteCount: expected)
        try await receive(response, to: fetch, lease, place)
        try checkIdentity()
        let record = ResponseRecord(
            request: fetch,
            response: response,
            sentAt: response.sentAt(receivedAt) ?? sentAt,
            receivedAt: receivedAt
        )
        var original = Original(data: context.progress.take(), source: LoadedImage.Source(response.origin))
        original.receivedAt = receivedAt
        original.url = response.url
        original.hold = SharedHold(lease)
        original.cacheability.isAllowed =
            request.httpCaching == .ignoresHTTP || !request.isRemote || record != nil
        return Fetched(original: original, record: record, hasKnownLength: expected != nil)
    }

    /// Takes a body as it comes, and keeps what has come where it breaks off.
    ///
    /// On its own: with both in one function the optimizer of Swift 6.3 crashes.
    @inline(never)
    private func receive(
        _ response: FetchResponse,
        to fetch: FetchRequest,
        _ lease: ByteBudget.Lease,
        _ place: Place
    ) async throws {
        do {
            try await receive(response.body, to: fetch, lease, expected: response.expectedByteCount)
        } catch {
            let data = context.progress.take()
            // The bytes count in the budget of writes from here, and hold up no other body.
            lease.end()
            await keepPartial(data, of: response, to: fetch, place)
            throw error
        }
    }

    /// Takes a body as it comes, and tells the observers.
    @inline(never)
    private func receive(
        _ body: FetchBody,
        to fetch: FetchRequest,
        _ lease: ByteBudget.Lease,
        expected: Int?
    ) async throws {
        let transfer = context.progress
        var byteCount = 0
        for try await chunk in body {
            byteCount += chunk.count
            let progress = transfer.receive(chunk)
            // Loaders check it; one that does not must not fill the memory.
            guard progress.byteCount <= fetch.byteCountMax else {
                throw FetchError(.bodyTooLarge, detail: "more than the allowed \(fetch.byteCountMax) bytes")
            }
            pipeline.notify {
                $0.pipeline(
                    didReceive: progress.byteCount,
                    expected: progress.expectedByteCount,
                    of: request
                )
            }
            try await lease.grow(to: Self.room(for: byteCount, of: expected))
        }
    }

    /// The room for bytes that have come, and for a few of those that come next: what is announced may never
    /// come.
    private static func room(for byteCount: Int, of expected: Int?) -> Int {
        max(byteCount, min(byteCount + (64 << 10), expected ?? .max))
    }

    /// The request as the loader is given it.
    ///
    /// - Parameters:
    ///   - url: The request's URL, or an alternative to it.
    ///   - conditions: The validators of what a store has.
    ///   - isImpatient: Whether it is tried only once.
    /// - Returns: The request; to another origin than its own only fields without secrets go.
    func fetchRequest(
        to url: URL? = nil,
        conditions: FetchConditions? = nil,
        isImpatient: Bool = false
    ) -> FetchRequest {
        let url = url ?? request.url
        let isForeign = url != request.url && url.originText != request.url.originText
        let headers = isForeign ? request.headers.filter(\.isForAnyOrigin) : request.headers
        var fetch = FetchRequest(
            url: url,
            headers: headers,
            byteCountMax: request.decoding.limits.byteCountMax,
            priority: context.priority
        )
        fetch.isTriedOnce = isImpatient
        fetch.deadline = deadline.withLock(\.self)
        if let options = request.optionsBox?.options {
            (fetch.method, fetch.body) = (options.method, options.body)
            fetch.retryRule = options.retryRule?.value
            fetch.permitsRedirect = options.permitsRedirect?.value
        }
        return conditions.map { fetch.conditional(on: $0) } ?? fetch
    }

    /// Makes sure that a loader which adds credentials still adds those that the key stands for.
    private func checkIdentity() throws(FetchError) {
        guard request.isRemote, pipeline.identityAtOnce(of: request)?.source != source else { return }
        throw FetchError(
            .identityChanged,
            isRetryable: true,
            detail:
                "the loader's cacheIdentity or the sourceIdentity changed during the load"
        )
    }

    /// Forgets what failed before.
    func noteSuccess(of place: Place) {
        pipeline.failures.withLock { $0.remove(place.name) }
        pipeline.originFailures.withLock { if $0.count > 0 { $0.remove(place.url.originText) } }
    }

    /// Remembers a failure where it is one for good, and that an origin is in trouble.
    func note(_ error: LoadError, of place: Place) {
        guard request.isRemote, !error.isPassing else { return }
        let now = pipeline.configuration.now()
        let isPermanent = (error.underlying as? FetchError)?.isPermanent
        if isPermanent ?? (error.fault == .input || error.hasTimedOut) {
            pipeline.failures.withLock { $0.note(error, of: place.name, at: now) }
        } else if error.isOriginFailure {
            pipeline.originFailures.withLock { $0.note(error, of: place.url.originText, at: now) }
        }
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
            detail: "remove the header field \(name): the pipeline sends it if httpCaching requires it"
        )
        throw LoadError(stage: .load, underlying: error)
    }
}

extension FetchResponse {
    /// When the request that it answers was sent, where its loader knows.
    fileprivate func sentAt(_ receivedAt: Timestamp) -> Timestamp? {
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
