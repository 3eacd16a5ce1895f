internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The known state of sources, and the values in memory that were made of them.
///
/// A value is used only while its source is fresh, and removed from memory when its source has other content.
final class KnownSources: Sendable {
    let configuration: ImagePipeline.Configuration
    let settings: RequestSettings
    let cache: ImageCache
    private let memory: any MemoryLevel<Image>
    /// The known state of originals of requests that respect HTTP, by source.
    let validations = MemoryCache<ImageKey, Validation>(costLimit: 32 << 20)
    /// Makes one step of comparing the known content with other content and replacing it.
    let noting = Guarded(())
    let encodedMemory: MemoryCache<ImageKey, EncodedBox>
    /// The sources that may have values in memory.
    private let keptSources = Guarded(CachedSourceFilter())
    /// The sizes in memory of each image.
    let largerImages = Guarded(LargerImages())

    init(_ configuration: ImagePipeline.Configuration, _ settings: RequestSettings) {
        (self.configuration, self.settings) = (configuration, settings)
        (cache, memory) = (configuration.cache, configuration.cache.memory)
        encodedMemory = MemoryCache(
            costLimit: configuration.encodedCostLimit,
            expiry: configuration.cache.memoryExpiry
        )
    }

    /// Returns the image for a request from memory, if the request may use it.
    func residentImage(_ identity: RequestIdentity, for request: ImageRequest) -> Image? {
        guard request.cachePolicy.variant.reads, isFresh(identity.source, for: request) else { return nil }
        return memory.value(forKey: identity.key)
    }

    /// Returns the image for a key from memory, if it is of the current content of its source, which the
    /// caller has noted.
    ///
    /// One that is just being inserted may be older. Later insertions have passed the comparison with the
    /// noted content.
    func currentImage(_ key: ImageKey, of source: String) -> Image? {
        isInserting(source) ? nil : memory.value(forKey: key)
    }

    /// True if a value of a source may be in memory that is removed again at once, because it is older than
    /// what is known.
    func isInserting(_ source: String) -> Bool { keptSources.withLock { $0.isInserting(source) } }

    /// Returns the encoded image for a key from memory, if the request may use it: a stale one only with
    /// `isStale`.
    func residentEncodedImage(
        _ key: ImageKey,
        of source: String,
        for request: ImageRequest,
        isStale: Bool = false
    ) -> EncodedImage? {
        guard request.cachePolicy.variant.reads, isStale || isFresh(source, for: request),
            let box = encodedMemory[key],
            let freshness = freshnessForClients(of: box.contentHash, source, for: request)
        else { return nil }
        var encoded = box.encoded
        (encoded.source, encoded.freshness, encoded.isStale) = (.memory, freshness, isStale)
        return encoded
    }

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
    ///   - now: The time.
    ///   - isValidating: True if the work revalidates a stale result in the background. Otherwise it stores a
    ///     fresh result, and one that became stale meanwhile would be delivered without revalidation.
    /// - Returns: True if it may.
    func isUsable(
        _ source: String,
        for request: ImageRequest,
        _ access: CachePolicy.Access,
        at now: Timestamp,
        isValidating: Bool
    ) -> Bool {
        guard access.reads else { return false }
        let freshness = freshness(source, for: request, at: now)
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
    private func freshness(
        _ source: String,
        for request: ImageRequest,
        at now: Timestamp? = nil
    ) -> Freshness {
        if request.alwaysRevalidates { return .unusable }
        guard request.httpCaching == .respectsHTTP, request.isRemote else { return .usable }
        return validations[ImageKey(source)].map { freshness($0, for: request, at: now) } ?? .unusable
    }

    /// True if a request may use an original without querying the origin.
    func isFresh(_ validation: Validation, for request: ImageRequest) -> Bool {
        !request.alwaysRevalidates && freshness(validation, for: request) == .usable
    }

    private func freshness(
        _ validation: Validation,
        for request: ImageRequest,
        at now: Timestamp? = nil
    ) -> Freshness {
        guard let record = validation.record else { return .unusable }
        let now = now ?? configuration.timeSource.now()
        if request.headers.isEmpty, let usable = validation.usableByAll, usable.contains(now) {
            return .usable
        }
        let fetch = FetchRequest(
            url: request.url,
            headers: request.headers,
            priority: RequestSettings.anyPriority
        )
        return record.freshness(for: fetch, at: now, allowing: configuration.staleAllowance)
    }

    /// True if HTTP allows the use of a stale source whose origin has failed to answer a query.
    ///
    /// - Parameters:
    ///   - validation: The known state of the source.
    ///   - request: The request.
    ///   - isFailing: True if the origin as a whole is failing, so that `stale-if-error` applies too.
    /// - Returns: True if it may be used; false if it is fresh.
    func mayStandIn(_ validation: Validation, for request: ImageRequest, isFailing: Bool) -> Bool {
        guard request.httpCaching == .respectsHTTP, !request.alwaysRevalidates else { return false }
        switch freshness(validation, for: request) {
        case .usableWhileRevalidating: return true
        case .needsRevalidation(usableOnErrorUntil: let end?):
            return isFailing && configuration.timeSource.now() <= end
        default: return false
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
        guard cacheability.isAllowed else { return }
        let isCrowded = keptSources.withLock { $0.beginInsertion(source) }
        defer {
            keptSources.withLock { $0.endInsertion(source) }
            if isCrowded { forgetSourcesThatLeft() }
        }
        guard cacheability.ticket?.isRevoked != true, !isOutdated(cacheability, of: source) else { return }
        memory.insert(value, forKey: key, cost: cost, expiry: cacheability.expiry)
        // A removal in between has not seen the value.
        if cacheability.ticket?.isRevoked == true { return memory.removeValue(value, forKey: key) }
        if let origin = cacheability.intermediate, cache.memory.peek(origin.key) !== origin.image {
            return memory.removeValue(value, forKey: key)
        }
        // A change in between has removed the earlier values, but not this one.
        if isOutdated(cacheability, of: source) { memory.removeValue(value, forKey: key) }
    }

    /// True if a value was made from other content than the current one of its source, or perhaps so: loads
    /// that begin once content is known compute the hash of theirs.
    func isOutdated(_ cacheability: Cacheability, of source: String) -> Bool {
        validations[ImageKey(source)].map { $0.contentHash != cacheability.contentHash } ?? false
    }

    /// Removes values made from older bytes of a source from memory.
    func removeVariantsInMemory(of source: String) {
        // An entry that the program itself may have stored under the original's key.
        cache.removeFromMemory(ImageKey(source))
        guard keptSources.withLock({ $0.mayContain(source) }) else { return }
        cache.removeAllFromMemory { $0.isOf(source) }
        encodedMemory.removeAll { $0.isOf(source) }
    }

    /// Rebuilds the set of sources in memory, if the keys in memory can be enumerated.
    private func forgetSourcesThatLeft() {
        guard let decoded = cache.memory as? MemoryCache<ImageKey, Image>,
            keptSources.withLock({ $0.begin() })
        else { return }
        for key in decoded.keys + encodedMemory.keys { keptSources.withLock { $0.note(key) } }
        keptSources.withLock { $0.end() }
    }

    /// Returns the HTTP record of a request's original, if it is in memory.
    func record(of request: ImageRequest) -> ResponseRecord? {
        settings.identityAtOnce(of: request).flatMap { validations[ImageKey($0.source)]?.record }
    }
}
