internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Handling of stored bytes that HTTP calls stale.
extension OriginalJob {
    /// Delivers a stored entry, and revalidates it for later callers, unless that has failed of late.
    func deliverAndValidate(_ stored: Fetched, standsInUntil end: Timestamp? = nil) async
        -> OriginalWork.Outcome
    {
        var noted = noteStoredContent(of: stored)
        noted.standsInUntil = end
        noted.isStale = true
        // Otherwise many hanging origins could fill the memory with bytes being revalidated.
        let origin = request.url.originText
        guard request.cachePolicy.allowsLoading, !stages.failures.hasFailedBehind(context),
            let lease = stages.limits.validating.leaseAtOnce(noted.data.count, of: origin)
        else { return .value(noted) }
        defer { lease.end() }
        work.deliver(noted, later: noted.whileWritten, outlivesClosing: false)
        // No caller waits for this load.
        do {
            _ = try await load(validating: Stored(record: stored.record))
        } catch let error as LoadError where failsForAll(error) {
            stages.failures.noteBehind(error, for: context, ticket: ticket)
        } catch {
            // The next caller repeats it.
        }
        return .delivered
    }

    /// True if a query of another caller would fail too: not one at a full queue, nor one whose signature has
    /// expired.
    private func failsForAll(_ error: LoadError) -> Bool {
        error.code != .overloaded && !(error.isRefusal && stages.configuration.sourceIdentity != nil)
    }

    /// Queries the origin; if that fails, a stored entry stands in for the response.
    ///
    /// An origin that failed within ``ImagePipeline/Configuration/originFailureDuration`` is not waited for:
    /// one load queries it in the background, and none for as long after that has failed too.
    ///
    /// - Parameters:
    ///   - stored: The stored entry.
    ///   - end: The time until which it may stand in.
    /// - Returns: The bytes, unless they were delivered before.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func load(validating stored: Stored, whichStandsInUntil end: Timestamp) async throws
        -> OriginalWork.Outcome
    {
        if stages.failures.isOriginFailing(context),
            let current = try await self.stored(standingInUntil: end)
        {
            return await deliverAndValidate(current, standsInUntil: end)
        }
        do {
            return try await handingOver(ifSlow: stages.configuration.staleFallbackTimeout, until: end) {
                try await load(validating: stored, isImpatient: true)
            }
        } catch let error as LoadError {
            guard error.mayBeStoodInFor, let current = try await self.stored(standingInUntil: end) else {
                throw error
            }
            return .value(standIn(current))
        }
    }

    /// Returns the current entry of the stores, unless its time as a stand-in has passed; reading it may have
    /// taken long.
    private func stored(standingInUntil end: Timestamp) async throws -> Fetched? {
        let time = stages.configuration.timeSource
        guard time.now() <= end, let current = try await stored() else { return nil }
        guard time.now() <= end else {
            _ = current.released()
            return nil
        }
        return current
    }

    /// Returns a stored entry in place of a missing response of the origin.
    private func standIn(_ current: Fetched) -> Original {
        var stale = noteStoredContent(of: current)
        stale.isStale = true
        return stale
    }

    /// Runs a load, and delivers a stored entry if the load takes longer than a limit.
    ///
    /// The load continues, and later callers get the stored entry meanwhile.
    ///
    /// - Parameters:
    ///   - limit: The time that callers wait for the load.
    ///   - end: The time until which the stored bytes may stand in.
    ///   - load: The load.
    /// - Returns: The result of the load, unless the stored bytes were delivered.
    /// - Throws: The error of the load, unless the stored bytes were delivered.
    private func handingOver(
        ifSlow limit: Duration,
        until end: Timestamp,
        _ load: () async throws -> OriginalWork.Outcome
    ) async throws -> OriginalWork.Outcome {
        // Decided by the load or the timer, whichever is first.
        let isDecided = Guarded(false)
        let timer = Task { () -> ByteBudget.Lease? in
            // Prepared in advance: between the decision and the delivery nothing may take time.
            guard await isSlow(limit), var stale = await prepared(until: end) else { return nil }
            let byteCount = stale.data.count
            let lease = stages.limits.validating.leaseAtOnce(byteCount, of: request.url.originText)
            guard stages.configuration.timeSource.now() <= end, isDecided.withLock({ $0.set() }) else {
                stale.release()
                return nil
            }
            // Otherwise many slow origins could fill the memory with stand-ins.
            let later = lease == nil ? stale.unusable : stale.whileWritten
            // Nothing replaces what the load has delivered.
            guard work.deliver(stale, later: later, outlivesClosing: false, unlessDelivered: true) else {
                stale.release()
                return nil
            }
            return lease
        }
        defer { timer.cancel() }
        do {
            let outcome = try await load()
            if isDecided.withLock({ $0.set() }) { return outcome }
        } catch {
            if isDecided.withLock({ $0.set() }) { throw error }
        }
        // Work that ends before it has delivered counts as cancelled.
        await timer.value?.end()
        return .delivered
    }

    /// Returns the current entry of the stores, ready for delivery; `nil` if there is none any more.
    private func prepared(until end: Timestamp) async -> Original? {
        do {
            guard let current = try await stored() else { return nil }
            var stale = current.original
            // Not noted as the content of the source: the load may have brought a newer one.
            if request.heedsContent { stale.cacheability.contentHash = stale.data.contentHash }
            (stale.isStale, stale.standsInUntil) = (true, end)
            return stale
        } catch {
            // The load continues and may still succeed.
            return nil
        }
    }

    /// Waits until no byte has arrived for the limit, or five times the limit has passed.
    ///
    /// - Returns: False if the transfer was complete before, or the task is cancelled.
    private func isSlow(_ limit: Duration) async -> Bool {
        var last = 0
        for _ in 0..<5 {
            do { try await ContinuousClock().sleep(for: limit) } catch { return false }
            guard let count = work.progress.arrivedByteCount else { return false }
            if count == last { return true }
            last = count
        }
        return true
    }

    /// Queries the origin in any case; if it cannot be reached, a stored entry stands in for the response.
    func loadOrStandIn(validating stored: Stored) async throws -> OriginalWork.Outcome {
        do {
            return try await load(validating: stored)
        } catch let error as LoadError where error.isOriginFailure {
            guard let current = try await self.stored() else { throw error }
            return .value(standIn(current))
        }
    }
}

extension Bool {
    /// Sets the value to true, and returns true if it was false.
    fileprivate mutating func set() -> Bool {
        defer { self = true }
        return !self
    }
}

extension LoadError {
    /// True if the origin gave no usable response, whatever the reason.
    fileprivate var mayBeStoodInFor: Bool {
        isOriginFailure || fault == .input || code == .overloaded
            || (underlying as? FetchError)?.code == .abandoned
    }

    /// True if the origin failed, so that a cached entry may stand in.
    var isOriginFailure: Bool { (underlying as? FetchError)?.isOriginFailure ?? false }

    /// True if the origin no longer has the resource.
    var isGone: Bool { [404, 410].contains((underlying as? FetchError)?.status) }
}
