internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What becomes of bytes that a store has and that HTTP calls stale.
extension OriginalJob {
    /// Hands over what a store has, and asks the origin for those who come later.
    func deliverAndValidate(_ stored: Fetched, standsInUntil end: Timestamp? = nil) async -> Original? {
        var noted = noteContent(of: stored)
        noted.standsInUntil = end
        noted.isStale = true
        // Many origins that hang would fill memory with the bytes behind their validations.
        let origin = request.url.originText
        guard request.cachePolicy.allowsLoading,
            let lease = pipeline.stages.validating.leaseAtOnce(noted.data.count, of: origin)
        else { return noted }
        defer { lease.end() }
        // It is stored already; who waits for that has not to wait for what may replace it.
        context.progress.noteStored()
        context.deliver(noted, later: noted.whileWritten, outlivesClosing: false)
        // Nobody waits for it; what it throws, whoever asks next will meet himself.
        do { _ = try await load(validating: Stored(record: stored.record)) } catch { return nil }
        return nil
    }

    /// Asks the origin; where it fails, what a store has stands in for it.
    ///
    /// An origin that has failed within ``ImagePipeline/Configuration/originFailureDuration`` is not waited
    /// for at all: one load asks it meanwhile.
    ///
    /// - Parameters:
    ///   - stored: What a store has.
    ///   - end: Until when it may stand in.
    /// - Returns: The bytes; `nil` where they have been delivered.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func load(validating stored: Stored, whichStandsInUntil end: Timestamp) async throws -> Original? {
        let (now, origin) = (pipeline.configuration.now(), request.url.originText)
        if pipeline.originFailures.withLock({ $0.failure(of: origin, at: now) }) != nil,
            let current = try await self.stored()
        {
            return await deliverAndValidate(current, standsInUntil: end)
        }
        do {
            return try await handingOver(ifSlow: pipeline.configuration.staleWait, until: end) {
                try await load(validating: stored, isImpatient: true)
            }
        } catch let error as LoadError {
            guard error.isOriginFailure || error.fault == .input || error.code == .overloaded,
                pipeline.configuration.timeSource.now() <= end,
                let stale = try await standIn()
            else { throw error }
            return stale
        }
    }

    /// The current entry of the stores, in place of a response that the origin does not give.
    private func standIn() async throws -> Original? {
        guard let current = try await stored() else { return nil }
        var stale = noteContent(of: current)
        stale.isStale = true
        return stale
    }

    /// Runs a load, and hands over what a store has where the load takes longer than a limit; the load goes
    /// on, and later callers take the same meanwhile.
    ///
    /// - Parameters:
    ///   - limit: How long callers wait for the load.
    ///   - end: Until when the stored bytes may stand in.
    ///   - load: The load.
    /// - Returns: The result of the load; `nil` where the stored bytes have been delivered.
    /// - Throws: What the load throws, unless they have been.
    private func handingOver(
        ifSlow limit: Duration,
        until end: Timestamp,
        _ load: () async throws -> Original?
    ) async throws -> Original? {
        // The first of both decides.
        let isDecided = Guarded(false)
        let timer = Task { () -> ByteBudget.Lease? in
            // Prepared before: between the decision and the delivery nothing may take time.
            guard await isSlow(limit), let stale = await prepared(until: end) else { return nil }
            let byteCount = stale.data.count
            let lease = pipeline.stages.validating.leaseAtOnce(byteCount, of: request.url.originText)
            guard pipeline.configuration.timeSource.now() <= end, isDecided.withLock({ $0.set() }) else {
                return nil
            }
            context.progress.noteStored()
            // Many origins that are slow would fill memory with what stands in for them.
            context.deliver(stale, later: lease == nil ? stale.unusable : stale, outlivesClosing: false)
            return lease
        }
        defer { timer.cancel() }
        do {
            let original = try await load()
            if isDecided.withLock({ $0.set() }) { return original }
        } catch {
            if isDecided.withLock({ $0.set() }) { throw error }
        }
        // Work that ends before it has delivered counts as cancelled.
        await timer.value?.end()
        return nil
    }

    /// The current entry of the stores, ready for delivery; `nil` where there is none any more.
    private func prepared(until end: Timestamp) async -> Original? {
        do {
            guard var current = try await stored() else { return nil }
            var stale = current.original.whileWritten
            current.original.release()
            // Not noted as the content of the source: the load may have brought a newer one.
            if request.heedsContent { stale.cacheability.contentHash = stale.data.contentHash }
            (stale.isStale, stale.standsInUntil) = (true, end)
            return stale
        } catch {
            // The load goes on, which may still give something.
            return nil
        }
    }

    /// Waits until no byte has come for a while, or bytes have come for five times as long.
    ///
    /// - Returns: `false` where the whole is there before, or the task is cancelled.
    private func isSlow(_ limit: Duration) async -> Bool {
        var last = 0
        for _ in 0..<5 {
            do { try await ContinuousClock().sleep(for: limit) } catch { return false }
            guard let count = context.progress.arrivedByteCount else { return false }
            if count == last { return true }
            last = count
        }
        return true
    }

    /// Asks the origin in any case; where it cannot be reached, what a store has stands in for it.
    func loadOrStandIn(validating stored: Stored) async throws -> Original? {
        do {
            return try await load(validating: stored)
        } catch let error as LoadError where error.isOriginFailure {
            guard let stale = try await standIn() else { throw error }
            return stale
        }
    }

    /// Hands bytes over that the origin has confirmed, and keeps the newer record of them.
    ///
    /// - Returns: The bytes; `nil` where they have been delivered.
    func keepConfirmed(_ fetched: consuming Fetched, by place: Place) async throws -> Original? {
        noteSuccess(of: place)
        var confirmed = noteContent(of: fetched)
        let renewed = fetched.record
        fetched.original = confirmed.whileWritten
        guard let renewed else {
            confirmed.cacheability.isAllowed = request.httpCaching == .ignoresHTTP
            guard !confirmed.cacheability.isAllowed else { return confirmed }
            context.deliver(confirmed, later: confirmed.whileWritten)
            confirmed = confirmed.whileWritten
            await forgetStored()
            return nil
        }
        guard request.cachePolicy.original.writes else { return confirmed }
        let lease = try await pipeline.leaseToWrite(confirmed.data.count, for: request, context.priority) {
            context.deliver(confirmed, later: confirmed.whileWritten)
            confirmed = confirmed.whileWritten
        }
        guard let lease else { return confirmed }
        context.deliver(confirmed, later: confirmed.whileWritten)
        confirmed = confirmed.whileWritten
        await pipeline.renew(key, of: request, metadata: renewed.encoded())
        lease.end()
        return nil
    }

    /// Forgets what is kept of a source that its origin no longer has, or that must not be kept any longer.
    ///
    /// Variants in the stores carry the freshness of the original that they were made of. Where the origin
    /// was asked before that had ended they would pass for fresh, and are looked for.
    func forgetStored() async {
        pipeline.validations.removeValue(forKey: key)
        pipeline.removeVariantsInMemory(of: source)
        guard request.cachePolicy.original.writes else { return }
        guard request.alwaysValidates || !request.cachePolicy.original.reads else {
            return await pipeline.removeDamaged(key, of: request)
        }
        await pipeline.removing(request) { [pipeline, source] in
            try await pipeline.removeAll { $0.isOf(source) }
        }
    }

    /// Notes what the original of a source is now; what was made of other bytes leaves memory.
    ///
    /// - Parameter fetched: What a store had, or an origin sent.
    /// - Returns: The original, which knows its content where that has to be known.
    func noteContent(of fetched: Fetched) -> Original {
        var original = fetched.original
        guard request.isRemote else { return original }
        let heedsContent = request.heedsContent
        let isReplacement = request.cachePolicy.original == .writeOnly
        let known = pipeline.validations[key]
        guard heedsContent || isReplacement || known != nil else { return original }
        let contentHash = original.data.contentHash
        original.cacheability.contentHash = contentHash
        // Noted before anything is removed: whoever keeps something of other bytes after that sees it.
        if heedsContent || known != nil {
            let validation = Validation(
                record: fetched.record,
                contentHash: contentHash,
                allowing: pipeline.configuration.staleAllowance
            )
            pipeline.validations.insert(validation, forKey: key, cost: validation.cost(for: key))
        }
        if known?.contentHash != contentHash { pipeline.removeVariantsInMemory(of: source) }
        return original
    }
}

extension Bool {
    /// Makes it true, and tells whether it was false.
    fileprivate mutating func set() -> Bool {
        defer { self = true }
        return !self
    }
}

extension LoadError {
    /// Whether the origin failed, so that what is kept may stand in for it.
    var isOriginFailure: Bool { (underlying as? FetchError)?.isOriginFailure ?? false }

    /// Whether the origin says that there is nothing any more.
    var isGone: Bool { [404, 410].contains((underlying as? FetchError)?.status) }
}
