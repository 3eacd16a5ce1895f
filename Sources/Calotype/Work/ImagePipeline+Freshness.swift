internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What is known of the original of a source: what HTTP says of it, and which bytes it has.
final class Validation: Sendable {
    let record: ResponseRecord?
    let contentHash: UInt64

    /// About the bytes that it takes in memory.
    var cost: Int { 256 + (record?.byteCount ?? 0) }

    init(record: ResponseRecord?, contentHash: UInt64) {
        self.record = record
        self.contentHash = contentHash
    }
}

/// Where HTTP's freshness meets the caches.
extension ImagePipeline {
    /// Whether what memory has of a source may be used without asking anybody.
    func isFresh(_ source: String, for request: ImageRequest) -> Bool {
        guard request.httpCaching == .respectsHTTP, request.isRemote else { return true }
        guard let record = validations[ImageKey(source)]?.record else { return false }
        let fetch = FetchRequest(url: request.url, headers: request.headers)
        return record.freshness(for: fetch, at: configuration.timeSource.now()) == .usable
    }

    /// Uses what a store has, validates it, or loads anew, as HTTP says where it is respected.
    ///
    /// - Parameters:
    ///   - stored: What the store has.
    ///   - loading: What it is wanted for.
    /// - Returns: What has not been delivered.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func judge(_ stored: Blob, _ loading: OriginalLoading) async throws -> Original? {
        let original = Original(stored)
        guard loading.request.httpCaching == .respectsHTTP else { return original }
        guard let record = ResponseRecord(encoded: stored.metadata) else {
            return try await loadOriginal(loading)
        }
        switch record.freshness(for: loading.fetchRequest(), at: configuration.timeSource.now()) {
        case .usable:
            return noteContent(of: loading, Fetched(original: original, record: record))
        case .usableWhileRevalidating:
            let noted = noteContent(of: loading, Fetched(original: original, record: record))
            guard loading.request.cachePolicy.allowsLoading else { return noted }
            // It is stored already; who waits for that has not to wait for what may replace it.
            loading.context.board.noteStored()
            loading.context.deliver(noted, later: noted)
            // Nobody waits for it; what it throws, whoever asks next will meet himself.
            do { _ = try await revalidate(original, record, loading) } catch { return nil }
            return nil
        case .needsRevalidation(let usableOnErrorUntil):
            return try await revalidate(original, record, loading, usableOnErrorUntil: usableOnErrorUntil)
        case .unusable:
            return try await loadOriginal(loading)
        case .unavailable:
            throw LoadError(stage: .cache, underlying: NotInCacheError())
        }
    }

    /// Asks the origin whether what a store has still holds.
    ///
    /// - Parameters:
    ///   - original: What the store has.
    ///   - record: What its origin said of it.
    ///   - loading: What it is wanted for.
    ///   - usableOnErrorUntil: Until when it may stand in for an origin that fails.
    /// - Returns: The same bytes, or new ones; `nil` where they have been delivered.
    /// - Throws: ``LoadError``, or `CancellationError`.
    private func revalidate(
        _ original: Original,
        _ record: ResponseRecord,
        _ loading: OriginalLoading,
        usableOnErrorUntil: Timestamp? = nil
    ) async throws -> Original? {
        guard loading.request.cachePolicy.allowsLoading else {
            throw LoadError(stage: .cache, underlying: NotInCacheError())
        }
        let fetched: Fetched
        do {
            fetched = try await step(.load, of: loading.request, byteCount: { $0.original.data.count }) {
                try await ask(original, record, loading)
            }
        } catch let error as LoadError {
            let isOriginFailure = (error.underlying as? FetchError)?.isOriginFailure ?? false
            guard isOriginFailure, let end = usableOnErrorUntil, configuration.timeSource.now() <= end else {
                throw error
            }
            return original
        }
        guard fetched.original.source == .disk else { return try await keep(fetched, loading) }
        let confirmed = noteContent(of: loading, fetched)
        if loading.request.cachePolicy.original.writes, let renewed = fetched.record {
            await renew(loading.key, of: loading.request, metadata: renewed.encoded())
        }
        return confirmed
    }

    /// Sends a conditional request.
    ///
    /// - Parameters:
    ///   - original: What the store has.
    ///   - record: What its origin said of it.
    ///   - loading: What it is wanted for.
    /// - Returns: What the store has with a newer record, or what the origin sent in its place.
    /// - Throws: `FetchError`, or `CancellationError`.
    private func ask(
        _ original: Original,
        _ record: ResponseRecord,
        _ loading: OriginalLoading
    ) async throws -> Fetched {
        var conditions = record.conditionalHeaders
        while true {
            let fetch = loading.fetchRequest(conditions: conditions)
            let sentAt = configuration.timeSource.now()
            let response = try await configuration.loader.response(for: fetch)
            guard response.status == 304, !conditions.isEmpty else {
                return try await collect(response, to: fetch, sentAt: sentAt, loading)
            }
            let now = configuration.timeSource.now()
            let sent = response.sentAt(now) ?? sentAt
            if let renewed = record.renewed(by: response, to: fetch, sentAt: sent, receivedAt: now) {
                return Fetched(original: original, record: renewed)
            }
            // It spoke of other bytes than those that are here.
            conditions = []
        }
    }

    /// Notes what the original of a source is now; what was made of other bytes leaves memory.
    ///
    /// - Parameters:
    ///   - loading: What was loaded.
    ///   - fetched: What came of it.
    /// - Returns: The original, which knows its content where that has to be known.
    func noteContent(of loading: OriginalLoading, _ fetched: Fetched) -> Original {
        let (request, key) = (loading.request, loading.key)
        var original = fetched.original
        guard request.isRemote else { return original }
        let respectsHTTP = request.httpCaching == .respectsHTTP
        let isReplacement = request.cachePolicy.original == .writeOnly
        let known = validations[key]
        guard respectsHTTP || isReplacement || known != nil else { return original }
        let contentHash = original.data.contentHash
        original.keeping.contentHash = contentHash
        // Noted before anything is removed: whoever keeps something of other bytes after that sees it.
        if respectsHTTP || known != nil {
            let validation = Validation(record: fetched.record, contentHash: contentHash)
            validations.insert(validation, forKey: key, cost: validation.cost)
        }
        if known?.contentHash != contentHash { removeVariantsInMemory(of: loading.source) }
        return original
    }

    /// Keeps something in memory, unless its source has other content by now.
    ///
    /// - Parameters:
    ///   - value: What was made of the original.
    ///   - key: What it is found by.
    ///   - cost: Its bytes.
    ///   - keeping: Whether it may be kept, and what it was made of.
    ///   - source: The source of the original.
    ///   - memory: Where it is kept.
    func keep<Value>(
        _ value: Value,
        forKey key: ImageKey,
        cost: Int,
        _ keeping: Keeping,
        source: String,
        in memory: MemoryCache<ImageKey, Value>
    ) {
        guard keeping.isAllowed else { return }
        memory.insert(value, forKey: key, cost: cost)
        guard let contentHash = keeping.contentHash, let current = validations[ImageKey(source)] else {
            return
        }
        // A change that came in between has removed what was there before, and not this.
        if current.contentHash != contentHash { memory.removeValue(value, forKey: key) }
    }
}

extension Original {
    fileprivate init(_ blob: Blob) {
        self.init(data: blob.data, source: .disk)
        receivedAt = blob.writtenAt
        expiresAt = blob.expiresAt
    }
}
