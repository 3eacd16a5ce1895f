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
    /// The metadata of the entry that a store had.
    var storedMetadata: Data?
    /// True if the length of the body was announced.
    var hasKnownLength = true

    /// The time the bytes were received from their origin, or last confirmed.
    var receivedAt: Timestamp {
        record?.receivedAt ?? original.receivedAt ?? Timestamp(nanosecondsSince1970: .min)
    }

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
    let record: ResponseRecord?
}

/// Loading of the bytes from the request's URL or an alternative to it.
extension OriginalJob {
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
            try await explainingFailures(by: tally) {
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
                var response = try await response(
                    to: fetch,
                    after: partial,
                    of: place,
                    isImpatient: isImpatient,
                    storedByteCount: &storedByteCount
                )
            else {
                // The stored part is not the beginning of the origin's current content.
                partial = nil
                forgetPartial(of: place)
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
                let fetched = try await collect(
                    response,
                    from: place,
                    storedByteCount: storedByteCount,
                    to: fetch,
                    sentAt: sentAt
                )
                if partial != nil { forgetPartial(of: place) }
                return fetched
            } catch let error as FetchError where error == PartialBody.lost {
                // Its store has an entry that it cannot read.
                partial = nil
                tally.recordRetry()
                forgetPartial(of: place)
            } catch let error as FetchError
                where error.isRetryable && ![.timedOut, .overloaded].contains(error.code) && mayBeginAnew
            {
                mayBeginAnew = false
                tally.recordRetry()
                partial = try await partialBody(of: place)
                try await stages.configuration.pause(.milliseconds(250))
            }
        }
    }

    /// Runs the loader; a cancellation that the caller did not request becomes a failure, and failures get
    /// the URL that redirects have led to.
    private func explainingFailures(
        by tally: FetchTally,
        _ body: () async throws -> Fetched
    ) async throws -> Fetched {
        do {
            return try await body()
        } catch var error as FetchError where error.answeringURL == nil {
            error.answeringURL = tally.redirectTarget
            throw error
        } catch is CancellationError where !Task.isCancelled {
            let detail = "the loader cancelled the load, although the caller did not"
            throw FetchError(.abandoned, isRetryable: true, detail: detail)
        }
    }

    /// Requests a response; waits only for a short time if a stale one is available.
    func response(to fetch: FetchRequest, isImpatient: Bool) async throws -> FetchResponse {
        let loader = stages.settings.loader(for: request)
        let gate = stages.pauseGate
        guard isImpatient else {
            try await gate.pass(fetch.url.host())
            try checkIdentity()
            return try await loader.response(for: fetch)
        }
        try checkIdentity()
        let limit = stages.configuration.staleFallbackTimeout
        let tally = fetch.tally
        tally?.recordQueued(true)
        let failure: @Sendable () async throws -> any Error = {
            // The wait for a turn, or for the end of a pause, is not a failure of this origin.
            while let turn = tally?.turnBegan, turn + limit > .now {
                try await ContinuousClock().sleep(until: turn + limit)
            }
            return tally?.isQueued == true
                ? FetchError(.overloaded, isRetryable: true, detail: "no free connection within \(limit)")
                : FetchError(.timedOut, detail: "no response within \(limit)")
        }
        return try await withTimeLimit(limit, failure: failure) {
            try await gate.pass(fetch.url.host())
            tally?.recordQueued(false)
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
        return Fetched(
            original: current.original,
            record: mayKeep ? renewed : nil,
            storedMetadata: current.storedMetadata
        )
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
            maxByteCount: request.decoding.limits.maxByteCount,
            priority: context.priority
        )
        fetch.isSingleAttempt = isImpatient
        fetch.deadline = deadline.withLock(\.self)
        fetch.mayResume = { [self] in arriving.withLock(\.self)?.park() ?? true }
        fetch.awaitBudget = { [self] in try await awaitBudget($0) }
        if let options = request.optionsBox?.options {
            (fetch.method, fetch.body) = (options.method, options.body)
            fetch.retryRule = options.retryRule?.value
            fetch.permitsRedirect = options.permitsRedirect?.value
        }
        return conditions.map { fetch.conditional(on: $0) } ?? fetch
    }

    /// Throws if a loader that adds credentials adds others than those in the key.
    func checkIdentity() throws(FetchError) {
        guard request.isRemote, stages.settings.identityAtOnce(of: request)?.source != context.source
        else { return }
        throw FetchError(
            .identityChanged,
            isRetryable: true,
            detail:
                "the loader's cacheIdentity or the sourceIdentity changed during the load"
        )
    }
}

extension FetchResponse {
    /// The time the request was sent, if the loader knows it.
    func sentAt(_ receivedAt: Timestamp) -> Timestamp? {
        responseTime.map { receivedAt + (.zero - $0) }
    }
}
