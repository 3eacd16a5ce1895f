internal import CalotypeCache
internal import CalotypeCore
package import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What is known of the original of a source: what HTTP says of it, and which bytes it has.
final class Validation: Sendable {
    let record: ResponseRecord?
    let contentHash: UInt64
    /// When requests without fields may use it as it is.
    let usableByAll: Range<Timestamp>?

    /// About the bytes that it takes in memory under a key.
    func cost(for key: ImageKey) -> Int { key.entryByteCount + 1_024 + (record?.byteCount ?? 0) }

    init(record: ResponseRecord?, contentHash: UInt64, allowing allowance: StaleAllowance) {
        self.record = record
        self.contentHash = contentHash
        usableByAll = record?.usableByAll(allowing: allowance)
    }
}

/// Where HTTP's freshness meets the caches.
extension ImagePipeline {
    /// Whether what memory has of a source may be used without asking anybody.
    func isFresh(_ source: String, for request: ImageRequest) -> Bool {
        freshness(source, for: request) == .usable
    }

    /// Whether a result of work that still goes on may be handed to a request.
    ///
    /// - Parameters:
    ///   - source: The source of its original.
    ///   - request: The request.
    ///   - access: The request's access to the stores that it would come from.
    ///   - isValidating: Whether the work asks the origin behind a stale result; else it writes a fresh one,
    ///     and what has become stale meanwhile would be handed out without anybody asking.
    /// - Returns: Whether it may.
    func isUsable(
        _ source: String,
        for request: ImageRequest,
        _ access: CachePolicy.Access,
        isValidating: Bool
    ) -> Bool {
        guard access.reads else { return false }
        let freshness = freshness(source, for: request)
        return freshness == .usable || isValidating && freshness == .usableWhileRevalidating
    }

    /// Whether something was made of the content that its source has by what is known now, as far as that is
    /// heeded.
    func isCurrent(_ cacheability: Cacheability, of source: String, for request: ImageRequest) -> Bool {
        guard request.heedsContent, let contentHash = cacheability.contentHash,
            let known = validations[ImageKey(source)]
        else { return true }
        return known.contentHash == contentHash
    }

    /// What HTTP says of a source; usable where it is not asked, unusable where nothing is known.
    private func freshness(_ source: String, for request: ImageRequest) -> Freshness {
        if request.alwaysValidates { return .unusable }
        guard request.httpCaching == .respectsHTTP, request.isRemote else { return .usable }
        return validations[ImageKey(source)].map { freshness($0, for: request) } ?? .unusable
    }

    /// Whether what is known of an original lets a request that respects HTTP use it without asking anybody.
    func isFresh(_ validation: Validation, for request: ImageRequest) -> Bool {
        !request.alwaysValidates && freshness(validation, for: request) == .usable
    }

    private func freshness(_ validation: Validation, for request: ImageRequest) -> Freshness {
        guard let record = validation.record else { return .unusable }
        let now = configuration.timeSource.now()
        if request.headers.isEmpty, let usable = validation.usableByAll, usable.contains(now) {
            return .usable
        }
        let fetch = FetchRequest(url: request.url, headers: request.headers, priority: Self.anyPriority)
        return record.freshness(for: fetch, at: now, allowing: configuration.staleAllowance)
    }

    /// What HTTP has said of the original of a request, as far as memory knows.
    package func record(of request: ImageRequest) -> ResponseRecord? {
        identityAtOnce(of: request).flatMap { validations[ImageKey($0.source)]?.record }
    }

    /// Whether the encoded variant of a request is kept, so that nothing has to be made for it.
    ///
    /// One that turns out to be of older content has to be made all the same.
    ///
    /// - Throws: ``LoadError`` where a store cannot be asked, or `CancellationError`.
    package func keepsVariant(of request: ImageRequest) async throws -> Bool {
        let identity = try await identity(of: request)
        if encodedMemory[identity.key] != nil { return true }
        return try await isStored(identity.key)
    }

    /// Whether a store has something, whatever its age.
    ///
    /// - Throws: ``LoadError`` where a store cannot be asked, or `CancellationError`.
    func isStored(_ key: ImageKey) async throws -> Bool {
        do {
            return try await stages.storeReads.answer { [cache] in
                try await cache.contains(key, in: .disk)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw LoadError(stage: .cache, underlying: error)
        }
    }

    /// Keeps something in memory, unless its source has other content by now, or it has been removed since
    /// its load began.
    ///
    /// - Parameters:
    ///   - value: What was made of the original.
    ///   - key: What it is found by.
    ///   - cost: Its bytes.
    ///   - cacheability: Whether it may be kept, and what it was made of.
    ///   - source: The source of the original.
    ///   - memory: Where it is kept.
    func keep<Value: AnyObject & Sendable>(
        _ value: Value,
        forKey key: ImageKey,
        cost: Int,
        _ cacheability: Cacheability,
        source: String,
        in memory: any MemoryLevel<Value>
    ) {
        guard cacheability.isAllowed, cacheability.ticket?.isRevoked != true else { return }
        let isCrowded = keptSources.withLock { $0.insert(source) }
        memory.insert(value, forKey: key, cost: cost, expiry: cacheability.expiry)
        keptSources.withLock { $0.mark(source) }
        if isCrowded { forgetSourcesThatLeft() }
        // A removal that came in between has not found it.
        if cacheability.ticket?.isRevoked == true { return memory.removeValue(value, forKey: key) }
        if let origin = cacheability.intermediate, cache.memory.peek(origin.key) !== origin.image {
            return memory.removeValue(value, forKey: key)
        }
        guard let contentHash = cacheability.contentHash, let current = validations[ImageKey(source)] else {
            return
        }
        // A change that came in between has removed what was there before, and not this.
        if current.contentHash != contentHash { memory.removeValue(value, forKey: key) }
    }
}
