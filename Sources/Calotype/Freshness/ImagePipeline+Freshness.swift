internal import CalotypeCache
internal import CalotypeCore
package import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The known state of a source's original: its HTTP record and its content hash.
final class Validation: Sendable {
    let record: ResponseRecord?
    let contentHash: UInt64
    /// The time range in which requests without header fields may use the original as it is.
    let usableByAll: Range<Timestamp>?

    /// Returns the approximate memory of the validation under a key, in bytes.
    func cost(for key: ImageKey) -> Int { key.entryByteCount + 1_024 + (record?.byteCount ?? 0) }

    init(record: ResponseRecord?, contentHash: UInt64, allowing allowance: StaleAllowance) {
        self.record = record
        self.contentHash = contentHash
        usableByAll = record?.usableByAll(allowing: allowance)
    }
}

/// HTTP freshness of cached results.
extension ImagePipeline {
    /// True if cached results of a source may be used without querying the origin.
    func isFresh(_ source: String, for request: ImageRequest) -> Bool {
        freshness(source, for: request) == .usable
    }

    /// True if the result of work in progress may be delivered to a request.
    ///
    /// - Parameters:
    ///   - source: The source of the original.
    ///   - request: The request.
    ///   - access: The request's access to the stores that the result would come from.
    ///   - isValidating: True if the work revalidates a stale result in the background. Otherwise it stores a
    ///     fresh result, and one that became stale meanwhile would be delivered without revalidation.
    /// - Returns: True if it may.
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

    /// True unless the request considers content and the value was made from older content of its source.
    func isCurrent(_ cacheability: Cacheability, of source: String, for request: ImageRequest) -> Bool {
        guard request.heedsContent, let contentHash = cacheability.contentHash,
            let known = validations[ImageKey(source)]
        else { return true }
        return known.contentHash == contentHash
    }

    /// Returns the freshness of a source: usable if HTTP is ignored, unusable if nothing is known.
    private func freshness(_ source: String, for request: ImageRequest) -> Freshness {
        if request.alwaysValidates { return .unusable }
        guard request.httpCaching == .respectsHTTP, request.isRemote else { return .usable }
        return validations[ImageKey(source)].map { freshness($0, for: request) } ?? .unusable
    }

    /// True if a request may use an original without querying the origin.
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

    /// Returns the HTTP record of a request's original, if it is in memory.
    package func record(of request: ImageRequest) -> ResponseRecord? {
        identityAtOnce(of: request).flatMap { validations[ImageKey($0.source)]?.record }
    }

    /// True if the encoded variant of a request is cached, so that nothing has to be encoded.
    ///
    /// A variant of older content is encoded again all the same.
    ///
    /// - Throws: ``LoadError`` if a store cannot be queried, or `CancellationError`.
    package func keepsVariant(of request: ImageRequest) async throws -> Bool {
        let identity = try await identity(of: request)
        if encodedMemory[identity.key] != nil { return true }
        return try await isStored(identity.key)
    }

    /// True if a store has an entry, whatever its age.
    ///
    /// - Throws: ``LoadError`` if a store cannot be queried, or `CancellationError`.
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

    /// Caches a value in memory, unless its source has other content by now, or it was removed since its load
    /// began.
    ///
    /// - Parameters:
    ///   - value: The value made from the original.
    ///   - key: The key of the value.
    ///   - cost: The cost in bytes.
    ///   - cacheability: The permission to cache the value, and the content it was made from.
    ///   - source: The source of the original.
    ///   - memory: The cache to insert it into.
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
        // A removal in between has not seen the value.
        if cacheability.ticket?.isRevoked == true { return memory.removeValue(value, forKey: key) }
        if let origin = cacheability.intermediate, cache.memory.peek(origin.key) !== origin.image {
            return memory.removeValue(value, forKey: key)
        }
        guard let contentHash = cacheability.contentHash, let current = validations[ImageKey(source)] else {
            return
        }
        // A change in between has removed the earlier values, but not this one.
        if current.contentHash != contentHash { memory.removeValue(value, forKey: key) }
    }
}
