internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Delivery and storing of originals, and removal of outdated ones.
extension OriginalJob {
    /// Delivers an image, then stores it if allowed; a caller that waits for the store does so itself.
    ///
    /// Older content does not stay in the stores where it may pass for current: its entry is overwritten, or
    /// removed if the new content is not written, and its variants are removed while HTTP calls them fresh.
    func keep(
        _ fetched: consuming Fetched,
        of place: Place,
        inPlaceOf stored: Stored?
    ) async throws -> OriginalWork.Outcome {
        noteSuccess(of: place)
        if request.cachePolicy.original == .writeOnly { ticket.noteReplacement() }
        let known = stages.sources.validations[key]
        var original = noteContent(of: fetched)
        fetched.original = original.whileWritten
        // A load that began later has brought other content.
        if stages.sources.isOutdated(original.cacheability, of: context.source) { return .value(original) }
        let isOther = known?.contentHash != original.cacheability.contentHash
        var replaced = isOther ? known?.record ?? stored?.record : nil
        let mayHaveOlder = stored != nil || mayHaveUnread(isOther ? known : nil)
        guard original.cacheability.isAllowed else {
            // Nor do loads that began before this one store theirs.
            ticket.noteStored()
            guard mayHaveOlder else { return .value(original) }
            // Delivered first: a store that does not respond must not hold the permits.
            deliver(&original)
            await forgetStored(isRead: stored != nil, hasFreshVariants: isCalledFresh(replaced))
            return .delivered
        }
        guard request.isRemote, request.cachePolicy.original.writes, original.isKnownImage else {
            return .value(original)
        }
        let failure = try await write(&original, fetched.record) {
            if isOther, mayHaveOlder, replaced == nil { replaced = await stages.storedRecord(key) }
        }
        work.progress.noteStoreFailure(failure)
        if failure != nil, isOther, mayHaveOlder {
            deliver(&original)
            if replaced == nil { replaced = await stages.storedRecord(key) }
            if await keepsOlder() { await stages.removeDamaged(key, of: request) }
        }
        if isCalledFresh(replaced) { await forgetVariants() }
        return .value(original)
    }

    /// Delivers an original that may still wait for a store, which must hold neither permits nor pixels.
    private func deliver(_ original: inout Original) {
        work.deliver(original, later: original.whileWritten)
        original = original.whileWritten
    }

    /// Writes an original, and delivers it as soon as no later removal can precede the write.
    ///
    /// - Parameters:
    ///   - original: The original.
    ///   - record: The HTTP record to store with it.
    ///   - beforeWrite: Called before the write replaces the entry.
    /// - Returns: The error, if it is not written.
    /// - Throws: `CancellationError`.
    private func write(
        _ original: inout Original,
        _ record: ResponseRecord?,
        beforeWrite: () async -> Void
    ) async throws -> LoadError? {
        let isSeen = stages.settings.serializer(for: request)?.usesDecodedImage == true
        let seen = isSeen ? original.decoded?.image : nil
        let lease = try await stages.leaseToWrite(original.data.count, for: context) {
            // Callers that do not wait for the store get the image now.
            deliver(&original)
        }
        guard let lease else { return .storeBusy }
        defer { lease.end() }
        return await stages.store(
            original.data,
            for: key,
            of: request,
            decodedTo: seen,
            metadata: record?.encoded() ?? Data(),
            ticket: ticket,
            onPlaced: { deliver(&original) },
            beforeWrite: beforeWrite
        )
    }

    /// True if HTTP calls replaced bytes fresh, so that variants made of them may pass for fresh.
    func isCalledFresh(_ replaced: ResponseRecord?) -> Bool {
        guard let replaced else { return false }
        var fetch = fetchRequest()
        // The request may demand more.
        fetch.headers.removeAll { $0.name.lowercased() == "cache-control" }
        let (now, allowance) = (stages.configuration.timeSource.now(), stages.configuration.staleAllowance)
        return replaced.freshness(for: fetch, at: now, allowing: allowance) == .usable
    }

    /// Removes the variants of a source from the stores.
    private func forgetVariants() async {
        await stages.removing(request) { [cache = stages.cache, key, source = context.source] in
            try await cache.removeAll(from: [.disk], revokesLoads: false) {
                $0 != key && $0.isOf(source)
            } onFind: { _ in
            }
        }
    }

    /// True if the stores may have older content of the source that was not read, or was passed over because
    /// newer content is known.
    private func mayHaveUnread(_ known: Validation?) -> Bool {
        request.isRemote && (request.cachePolicy.original == .writeOnly || known != nil)
    }

    /// True if the stores have an older entry of the source.
    private func keepsOlder() async -> Bool {
        // If the store cannot be queried, removing from it would fail too.
        do {
            return try await stages.isStored(key)
        } catch {
            return false
        }
    }

    /// Delivers bytes that the origin has confirmed, and stores their newer record.
    ///
    /// - Returns: The bytes, unless they were delivered before.
    func keepConfirmed(_ fetched: consuming Fetched, by place: Place) async throws -> OriginalWork.Outcome {
        noteSuccess(of: place)
        // Results made of the bytes, if these were delivered stale, are current again.
        work.progress.noteLoad(ticket.number)
        var confirmed = noteContent(of: fetched)
        if stages.sources.isOutdated(confirmed.cacheability, of: context.source) { return .value(confirmed) }
        let renewed = fetched.record
        fetched.original = confirmed.whileWritten
        guard let renewed else {
            confirmed.cacheability.isAllowed = request.httpCaching == .ignoresHTTP
            guard !confirmed.cacheability.isAllowed else { return .value(confirmed) }
            ticket.noteStored()
            deliver(&confirmed)
            await forgetStored()
            return .delivered
        }
        guard request.cachePolicy.original.writes else { return .value(confirmed) }
        let lease = try await stages.leaseToWrite(confirmed.data.count, for: context) {
            deliver(&confirmed)
        }
        guard let lease else { return .value(confirmed) }
        deliver(&confirmed)
        var options = BlobOptions(metadata: renewed.encoded(), expiry: request.expiry.disk)
        options.renewedMetadata = fetched.storedMetadata
        await stages.renew(key, of: request, options: options, ticket: ticket)
        lease.end()
        return .delivered
    }

    /// Notes that the origin no longer has the source, and removes what is cached of it.
    func noteGone(insteadOf stored: Stored?) async {
        let known = stages.sources.validations[key]
        let hasFreshVariants = isCalledFresh(known?.record)
        guard stages.sources.noteGone(context.source, for: request, byLoad: ticket.number) else { return }
        ticket.noteStored()
        let mayHaveUnread = request.heedsContent && mayHaveUnread(known)
        guard stored != nil || hasFreshVariants || mayHaveUnread else { return }
        await forgetStored(isRead: stored != nil, hasFreshVariants: hasFreshVariants)
    }

    /// Removes cached values of a source if the stores have any, for which they are queried unless that is
    /// known.
    private func forgetStored(isRead: Bool, hasFreshVariants: Bool) async {
        if !isRead, !hasFreshVariants, await !keepsOlder() { return }
        await forgetStored(hasFreshVariants: hasFreshVariants)
    }

    /// Removes cached values of a source that its origin no longer has, or that must not be stored any
    /// longer.
    ///
    /// Stored variants carry the freshness of their original. If the origin was queried before that freshness
    /// ended, they would pass for fresh, so they are removed too.
    ///
    /// - Parameter hasFreshVariants: True if that freshness is known to last.
    private func forgetStored(hasFreshVariants: Bool = false) async {
        stages.sources.removeVariantsInMemory(of: context.source)
        guard request.cachePolicy.original.writes else { return }
        guard hasFreshVariants || request.mayQueryFresh || !request.cachePolicy.original.reads else {
            return await stages.removeDamaged(key, of: request)
        }
        await stages.removing(request) { [stages, source = context.source] in
            try await stages.removeAll(keepsFailures: true) { $0.isOf(source) }
        }
    }

    /// Records the content that the origin has sent or confirmed, unless newer content is known; values made
    /// from other bytes are removed from memory.
    ///
    /// - Returns: The original, with its content hash if that has to be known.
    func noteContent(of fetched: Fetched) -> Original {
        noteContent(of: fetched.original) { sources, contentHash in
            sources.note(contentHash, fetched.record, of: key, byLoad: ticket.number)
        }
    }

    /// Records the content of a store, as ``noteContent(of:)`` does; calls after newer content do not join
    /// the work on it.
    func noteStoredContent(of stored: Fetched) -> Original {
        let original = noteContent(of: stored.original) { sources, contentHash in
            sources.noteStored(contentHash, stored.record, of: key, receivedAt: stored.receivedAt)
        }
        let hash = original.cacheability.contentHash
        work.progress.noteLoad(stages.sources.loadNumber(of: hash, from: context.source))
        return original
    }

    private func noteContent(of original: Original, _ note: (KnownSources, UInt64) -> Bool) -> Original {
        var original = original
        let sources = stages.sources
        guard request.isRemote,
            request.heedsContent || request.cachePolicy.original == .writeOnly
                || sources.validations[key] != nil
        else { return original }
        let contentHash = original.cacheability.contentHash ?? original.data.contentHash
        original.cacheability.contentHash = contentHash
        // Recorded before anything is removed, so that callers that cache values of other bytes later see it.
        if note(sources, contentHash) { sources.removeVariantsInMemory(of: context.source) }
        return original
    }
}
