internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The bytes from a loader or a store.
struct Fetched: Sendable {
    /// The bytes.
    var original: Original
    /// The HTTP record of the bytes; `nil` if they must not be stored, or did not come by HTTP.
    var record: ResponseRecord?
    /// True if the length of the body was announced.
    var hasKnownLength = true

    /// True if the bytes may be an incomplete body.
    func mayBeCut(_ error: LoadError) -> Bool {
        guard original.source == .network, let code = (error.underlying as? DecodeError)?.code else {
            return false
        }
        return code == .empty || code == .truncated && !hasKnownLength
    }

    /// Releases the bytes and returns the record.
    func released() -> Stored {
        original.hold?.end()
        return Stored(record: record)
    }
}

/// A stored entry that the origin may confirm; its bytes are read again when they are needed.
struct Stored: Sendable {
    /// The record of the origin's response.
    let record: ResponseRecord?
}

/// Loading of the bytes from the request's URL or an alternative to it.
extension OriginalJob {
    /// A URL that may have the bytes.
    struct Place {
        let url: URL
        /// The key of its remembered failures.
        let failureKey: ImageKey
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
        }.map { url in
            let key = ImageKey(source: context.source, variant: "alternative \(url.absoluteString)")
            return Place(url: url, failureKey: key, isOwn: false)
        }
        let all = [Place(url: request.url, failureKey: key, isOwn: true)] + alternatives
        guard request.isRemote, !request.ignoresPastFailure else { return all }
        let now = stages.configuration.now()
        let past = stages.failures.loads.withLock { memory in
            all.map { memory.failure(of: $0.failureKey, at: now) }
        }
        let left = zip(all, past).filter { $0.1 == nil }.map(\.0)
        if left.isEmpty, let failure = past.first.flatMap(\.self) { throw failure }
        return left
    }

    /// Loads the bytes from one place, or reads stored ones that the origin confirms.
    ///
    /// An interrupted body that cannot be continued is requested once more from the start, because none of
    /// its bytes has been passed on.
    ///
    /// - Returns: New bytes, or the stored ones with a newer record.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func fetch(from place: Place, validating stored: Stored?, isImpatient: Bool) async throws -> Fetched {
        stages.loadCount.withLock { $0 += 1 }
        defer { stages.loadCount.withLock { $0 -= 1 } }
        let tally = FetchTally()
        var fetched = try await stages.step(
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

    /// Queries one place until its response is complete.
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
            let sentAt = stages.configuration.timeSource.now()
            var storedByteCount = 0
            guard
                var response = try await answer(
                    to: fetch,
                    after: partial,
                    of: place,
                    isImpatient: isImpatient,
                    storedByteCount: &storedByteCount
                )
            else {
                // The stored part is not the beginning of the origin's current content.
                partial = nil
                await forgetPartial(of: place)
                continue
            }
            if response.status == 304, let stored, conditions != nil {
                // Ends the turn of the response before the store is read.
                response.body = FetchBody(Data())
                if let confirmed = try await confirmed(stored, by: response, to: fetch, sentAt) {
                    return confirmed
                }
                // The origin confirmed other bytes than those in the store.
                conditions = nil
                continue
            }
            do {
                let fetched = try await collect(response, storedByteCount, to: fetch, sentAt: sentAt, place)
                if partial != nil { await forgetPartial(of: place) }
                return fetched
            } catch let error as FetchError
                where error.isRetryable && error.code != .timedOut && mayBeginAnew
            {
                mayBeginAnew = false
                tally.noteRetry()
                partial = try await partialBody(of: place)
                try await stages.configuration.pause(.milliseconds(250))
            }
        }
    }

    /// Runs the loader; a cancellation that the caller did not request becomes a failure.
    private func abandonmentAsFailure(_ body: () async throws -> Fetched) async throws -> Fetched {
        do {
            return try await body()
        } catch is CancellationError where !Task.isCancelled {
            let detail = "the loader cancelled the load, although the caller did not"
            throw FetchError(.abandoned, isRetryable: true, detail: detail)
        }
    }

    /// Requests a response; waits only for a short time if a stale one is available.
    func answer(to fetch: FetchRequest, isImpatient: Bool) async throws -> FetchResponse {
        let loader = stages.configuration.loader(for: request)
        let gate = stages.pauseGate
        guard isImpatient else {
            try await gate.pass(fetch.url.host())
            try checkIdentity()
            return try await loader.response(for: fetch)
        }
        try checkIdentity()
        let limit = stages.configuration.staleWait
        let tally = fetch.tally
        tally?.noteQueued(true)
        let failure: @Sendable () async throws -> any Error = {
            // The wait for a turn, or for the end of a pause, is not a failure of this origin.
            while let turn = tally?.turnBegan, turn + limit > .now {
                try await ContinuousClock().sleep(until: turn + limit)
            }
            return tally?.isQueued == true
                ? FetchError(.overloaded, isRetryable: true, detail: "no free connection within \(limit)")
                : FetchError(.timedOut, detail: "no response within \(limit)")
        }
        return try await withTimeLimit(limit, failure) {
            try await gate.pass(fetch.url.host())
            tally?.noteQueued(false)
            return try await loader.response(for: fetch)
        }
    }

    private func confirmed(
        _ stored: Stored,
        by response: FetchResponse,
        to fetch: FetchRequest,
        _ sentAt: Timestamp
    ) async throws -> Fetched? {
        let now = stages.configuration.timeSource.now()
        let sent = response.sentAt(now) ?? sentAt
        let renewed = stored.record?.renewed(by: response, to: fetch, sentAt: sent, receivedAt: now)
        // Confirmed, but must not be stored any longer.
        let mayKeep = !response.forbidsStoring(for: fetch)
        guard let renewed, let current = try await self.stored() else { return nil }
        guard current.record?.hasValidators(of: stored.record) == true else {
            _ = current.released()
            return nil
        }
        return Fetched(original: current.original, record: mayKeep ? renewed : nil)
    }

    /// Receives a whole response and reports its progress.
    private func collect(
        _ response: FetchResponse,
        _ storedByteCount: Int,
        to fetch: FetchRequest,
        sentAt: Timestamp,
        _ place: Place
    ) async throws -> Fetched {
        let receivedAt = stages.configuration.timeSource.now()
        let expected = response.expectedByteCount
        let lease = try await stages.limits.fetching.lease(
            Self.room(for: storedByteCount, of: expected),
            of: response.url.originText,
            context.priority
        )
        work.progress.begin(expectedByteCount: expected)
        try await receive(response, to: fetch, lease, place)
        try checkIdentity()
        let record = ResponseRecord(
            request: fetch,
            response: response,
            sentAt: response.sentAt(receivedAt) ?? sentAt,
            receivedAt: receivedAt
        )
        var original = Original(data: work.progress.take(), source: LoadedImage.Source(response.origin))
        original.receivedAt = receivedAt
        original.url = response.url
        original.hold = SharedHold(lease)
        original.cacheability.isAllowed =
            request.httpCaching == .ignoresHTTP || !request.isRemote || record != nil
        return Fetched(original: original, record: record, hasKnownLength: expected != nil)
    }

    /// Receives a body, and stores the part that has arrived if it breaks off.
    ///
    /// A separate function: with both in one function the optimizer of Swift 6.3 crashes.
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
            let data = work.progress.take()
            // From here on the bytes count in the budget of writes and block no other body.
            lease.end()
            await keepPartial(data, of: response, to: fetch, place)
            throw error
        }
    }

    /// Receives a body and notifies the observers.
    @inline(never)
    private func receive(
        _ body: FetchBody,
        to fetch: FetchRequest,
        _ lease: ByteBudget.Lease,
        expected: Int?
    ) async throws {
        let transfer = work.progress
        var byteCount = 0
        for try await chunk in body {
            byteCount += chunk.count
            let progress = transfer.receive(chunk)
            // Loaders enforce the limit; one that does not must not exhaust the memory.
            guard progress.byteCount <= fetch.byteCountMax else {
                throw FetchError(.bodyTooLarge, detail: "more than the allowed \(fetch.byteCountMax) bytes")
            }
            stages.notify {
                $0.pipeline(
                    didReceive: progress.byteCount,
                    expected: progress.expectedByteCount,
                    of: request
                )
            }
            try await lease.grow(to: Self.room(for: byteCount, of: expected))
        }
    }

    /// Returns the budget for the bytes received and a few more: announced bytes may never arrive.
    private static func room(for byteCount: Int, of expected: Int?) -> Int {
        max(byteCount, min(byteCount + (64 << 10), expected ?? .max))
    }

    /// Returns the request for the loader.
    ///
    /// - Parameters:
    ///   - url: The request's URL, or an alternative to it.
    ///   - conditions: The validators of the stored entry.
    ///   - isImpatient: True to try only once.
    /// - Returns: The request; an origin other than the URL's own gets only header fields without secrets.
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

    /// Throws if a loader that adds credentials adds others than those in the key.
    private func checkIdentity() throws(FetchError) {
        guard request.isRemote, stages.configuration.identityAtOnce(of: request)?.source != context.source
        else { return }
        throw FetchError(
            .identityChanged,
            isRetryable: true,
            detail:
                "the loader's cacheIdentity or the sourceIdentity changed during the load"
        )
    }

    /// Forgets earlier failures of the place and its origin.
    func noteSuccess(of place: Place) {
        stages.failures.loads.withLock { $0.remove(place.failureKey) }
        stages.failures.origins.withLock { if $0.count > 0 { $0.remove(place.url.originText) } }
    }

    /// Remembers a permanent failure, or that an origin is failing.
    func note(_ error: LoadError, of place: Place) {
        guard request.isRemote, !error.isPassing else { return }
        let now = stages.configuration.now()
        let isPermanent = (error.underlying as? FetchError)?.isPermanent
        if isPermanent ?? (error.fault == .input || error.hasTimedOut) {
            stages.failures.loads.withLock { $0.note(error, of: place.failureKey, at: now) }
        } else if error.isOriginFailure {
            stages.failures.origins.withLock { $0.note(error, of: place.url.originText, at: now) }
        }
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

extension FetchResponse {
    /// The time the request was sent, if the loader knows it.
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
