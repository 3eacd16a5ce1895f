internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

extension OriginalJob {
    /// Receives a whole response and reports its progress.
    func collect(
        _ response: FetchResponse,
        from place: Place,
        storedByteCount: Int,
        to fetch: FetchRequest,
        sentAt: Timestamp
    ) async throws -> Fetched {
        let receivedAt = stages.configuration.timeSource.now()
        let (expected, start) = (response.expectedByteCount, stages.configuration.now())
        budgetWait.withLock { $0 = .zero }
        let lease = try await waiting {
            try await stages.limits.fetching.lease(
                Self.room(for: storedByteCount, of: expected),
                of: response.url.originText,
                context.priority
            )
        }
        work.progress.begin(expectedByteCount: expected)
        do {
            try await receive(response, from: place, to: fetch, within: lease)
        } catch let error as FetchError where error.code == .timedOut {
            throw blamed(error, since: start)
        }
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
        from place: Place,
        to fetch: FetchRequest,
        within lease: ByteBudget.Lease
    ) async throws {
        do {
            try await receive(response.body, to: fetch, within: lease, expected: response.expectedByteCount)
        } catch {
            let data = work.progress.take(isWhole: false)
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
        within lease: ByteBudget.Lease,
        expected: Int?
    ) async throws {
        arriving.withLock { $0 = lease }
        defer { arriving.withLock { $0 = nil } }
        let transfer = work.progress
        var byteCount = 0
        for try await chunk in body {
            byteCount += chunk.count
            let progress = transfer.receive(chunk)
            // Loaders enforce the limit; one that does not must not exhaust the memory.
            guard progress.byteCount <= fetch.maxByteCount else {
                throw FetchError(.bodyTooLarge, detail: "more than the allowed \(fetch.maxByteCount) bytes")
            }
            stages.notify {
                $0.didReceive(
                    progress.byteCount,
                    expected: progress.expectedByteCount,
                    of: request
                )
            }
            try await waiting { try await lease.grow(to: Self.room(for: byteCount, of: expected)) }
        }
    }

    /// Waits for budget for the part of the arriving body that middleware has collected.
    func awaitBudget(_ byteCount: Int) async throws {
        guard let lease = arriving.withLock(\.self) else { return }
        try await waiting { try await lease.grow(to: Self.room(for: byteCount, of: nil)) }
    }

    /// Runs a wait for budget, and adds its time.
    private func waiting<Value>(_ body: () async throws -> Value) async throws -> Value {
        let start = stages.configuration.now()
        defer { budgetWait.withLock { $0 += stages.configuration.now() - start } }
        return try await body()
    }

    /// Returns the error of a body that has timed out: not that of its origin if the body has waited for
    /// budget for most of the time.
    private func blamed(_ error: FetchError, since start: ContinuousClock.Instant) -> FetchError {
        let (elapsed, waited) = (stages.configuration.now() - start, budgetWait.withLock(\.self))
        guard waited > elapsed / 2 else { return error }
        return FetchError(
            .overloaded,
            isRetryable: true,
            detail:
                "the body waited for other loads for \(waited); maxByteCountInFlight limits their bytes"
        )
    }

    /// Returns the budget for the bytes received and a few more: announced bytes may never arrive.
    private static func room(for byteCount: Int, of expected: Int?) -> Int {
        max(byteCount, min(byteCount + (64 << 10), expected ?? .max))
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
