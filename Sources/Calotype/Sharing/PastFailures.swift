internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeSupport
internal import CalotypeTransforms
internal import FoundationEssentials

/// The failures of late, after which work is not repeated for a time.
///
/// Work that failed at a limit of time or memory would fail again, after the same time. A failure is not
/// remembered if its source was removed since its load began, and that of a load not if a later one has
/// succeeded.
final class PastFailures: Sendable {
    /// Permanent failures, by URL.
    let loads: Guarded<NegativeCache>
    /// Variants whose codec worker was lost.
    private let variants: Guarded<NegativeCache>
    /// Failures of origins, and of queries behind delivered stale images.
    let origins: Guarded<NegativeCache>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(_ configuration: ImagePipeline.Configuration) {
        let failures = NegativeCache(
            duration: configuration.failureDuration,
            maxCount: configuration.maxFailureCount
        )
        loads = Guarded(failures)
        variants = Guarded(failures)
        let ofOrigins = NegativeCache(duration: configuration.originFailureDuration, maxCount: 1_000)
        origins = Guarded(ofOrigins)
        now = configuration.now
    }

    /// Forgets permanent failures and lost variants.
    func removeAll() {
        loads.withLock { $0.removeAll() }
        variants.withLock { $0.removeAll() }
    }

    /// Forgets failures whose keys match a predicate, which is called without a lock.
    func removeAll(where isRemoved: (ImageKey) -> Bool) {
        for key in loads.withLock(\.keys) where isRemoved(key) { loads.withLock { $0.remove(key) } }
        for key in variants.withLock(\.keys) where isRemoved(key) { variants.withLock { $0.remove(key) } }
    }

    /// True if a query behind a stale image of a source has failed of late: it is not repeated for each
    /// caller.
    func hasFailedBehind(_ context: LoadContext) -> Bool {
        guard !context.request.ignoresPastFailure else { return false }
        let now = self.now()
        return origins.withLock { $0.count > 0 ? $0.failure(of: context.queryKey, at: now) : nil } != nil
    }

    /// Remembers that a query behind a stale image has failed.
    func noteBehind(_ error: LoadError, for context: LoadContext, ticket: LoadTicket) {
        let now = self.now()
        change(origins, [context.queryKey], while: ticket.mayNoteFailure) {
            $0.note(error, of: context.queryKey, at: now)
        }
    }

    /// Remembers that the origin of a URL is failing, or the origin that redirects have led to.
    func noteOrigin(_ error: LoadError, of url: URL, for context: LoadContext) {
        let now = self.now()
        let failing = (error.underlying as? FetchError)?.answeringURL ?? url
        origins.withLock { origins in
            origins.note(error, of: failing.originText, at: now)
            // Other sources of the redirecting origin may be well.
            if failing.originText != url.originText { origins.note(error, of: context.redirectKey, at: now) }
        }
    }

    /// True if the origin of a source, or an origin that it is redirected to, has failed of late.
    func isOriginFailing(_ context: LoadContext) -> Bool {
        let (now, origin) = (self.now(), context.request.url.originText)
        return origins.withLock { origins in
            guard origins.count > 0 else { return false }
            return (origins.failure(of: origin, at: now) ?? origins.failure(of: context.redirectKey, at: now))
                != nil
        }
    }

    /// Forgets the failures of the origin of a URL, and of a source there.
    func noteSuccess(of url: URL, for context: LoadContext) {
        origins.withLock { origins in
            guard origins.count > 0 else { return }
            origins.remove(url.originText)
            origins.remove(context.queryKey)
            origins.remove(context.redirectKey)
        }
    }

    /// Produces a variant, unless that failed at a limit of late.
    ///
    /// - Throws: The error of the body, or the remembered one.
    func rememberingEndedWorkers<Value>(
        _ key: ImageKey,
        of request: ImageRequest,
        ticket: LoadTicket,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let now = self.now()
        let failure = variants.withLock { $0.failure(of: key, at: now) }
        if let failure, !request.ignoresPastFailure { throw failure }
        do {
            let value = try await body()
            variants.withLock { $0.remove(key) }
            return value
        } catch let error as LoadError where error.hasEndedWorker {
            noteFailure(error, of: key, ticket: ticket)
            throw error
        }
    }

    /// Remembers a permanent failure of a URL by its key.
    func noteLoad(_ error: LoadError, of key: ImageKey, ticket: LoadTicket) {
        let now = self.now()
        change(loads, [key], while: ticket.mayNoteFailure) { $0.note(error, of: key, at: now) }
    }

    /// Remembers the failure of a variant.
    func noteFailure(_ error: LoadError, of key: ImageKey, ticket: LoadTicket) {
        let now = self.now()
        change(variants, [key], while: !ticket.isRevoked) { $0.note(error, of: key, at: now) }
    }

    private func change(
        _ memory: borrowing Guarded<NegativeCache>,
        _ keys: [ImageKey],
        while isValid: @autoclosure () -> Bool,
        _ body: (inout NegativeCache) -> Void
    ) {
        guard isValid() else { return }
        memory.withLock(body)
        // A removal or a success in between has not seen the failure.
        if !isValid() { memory.withLock { memory in for key in keys { memory.remove(key) } } }
    }

    /// Remembers a decode that would fail again.
    ///
    /// A decode that exceeded the memory limit is remembered for its recipe; one more recipe is tried, which
    /// may be smaller. There is no third one, because callers could request one size after another.
    func noteDecode(
        _ error: LoadError,
        for context: LoadContext,
        as recipe: DecodeRecipe,
        ticket: LoadTicket
    ) {
        let now = self.now()
        let keys = DecodeKeys(context, recipe)
        change(variants, [keys.own, keys.first, keys.all], while: !ticket.isRevoked) { memory in
            let isKnown = memory.failure(of: keys.own, at: now) != nil
            let isSecond = memory.failure(of: keys.first, at: now) != nil && !isKnown
            memory.note(error, of: keys.own, at: now)
            guard !error.exceedsSize else { return }
            guard error.mayFitSmaller, !isSecond else { return memory.note(error, of: keys.all, at: now) }
            if !isKnown { memory.note(error, of: keys.first, at: now) }
        }
    }

    /// Remembers an image whose header exceeds the limits of a request.
    ///
    /// - Parameters:
    ///   - error: The failure of reading the header.
    ///   - context: The load.
    ///   - recipe: The recipe of a decode that failed too; `nil` if only the header was to be read.
    ///   - ticket: The ticket of the load.
    func noteHeader(
        _ error: LoadError,
        for context: LoadContext,
        as recipe: DecodeRecipe?,
        ticket: LoadTicket
    ) {
        noteFailure(error, of: context.headerKey(recipe), ticket: ticket)
    }

    /// - Throws: ``LoadError`` if this decode, or decodes of the source in general, failed at a limit of
    ///   late.
    func checkPastDecodes(for context: LoadContext, as recipe: DecodeRecipe) throws {
        guard mayRecur(context.request) else { return }
        let keys = DecodeKeys(context, recipe)
        try check([keys.own, keys.all, context.headerKey(recipe)])
    }

    /// - Throws: ``LoadError`` if the original's header exceeded the limits of the request of late.
    func checkPastHeader(for context: LoadContext) throws {
        guard mayRecur(context.request) else { return }
        try check([context.headerKey(nil)])
    }

    private func mayRecur(_ request: ImageRequest) -> Bool {
        !request.ignoresPastFailure && !variants.withLock(\.isEmpty)
    }

    private func check(_ keys: [ImageKey]) throws {
        let now = self.now()
        let failure = variants.withLock { memory in
            keys.compactMap { memory.failure(of: $0, at: now) }.first
        }
        if let failure { throw failure }
    }
}

/// The keys of a source's failed decodes, with which its removal forgets them.
private struct DecodeKeys {
    let own: ImageKey
    let first: ImageKey
    let all: ImageKey

    init(_ context: LoadContext, _ recipe: DecodeRecipe) {
        func key(_ variant: String) -> ImageKey { ImageKey(source: context.source, variant: variant) }
        own = key("decode \(context.codecsHash(recipe))")
        // Other codecs, or a longer time limit, may succeed.
        let hash = context.codecsHash(recipe.options.limits.maxDuration)
        (first, all) = (key("first decode \(hash)"), key("decodes \(hash)"))
    }
}

extension LoadContext {
    /// The key of a failed origin that the source is redirected to.
    fileprivate var redirectKey: ImageKey { ImageKey(source: source, variant: "redirect") }

    /// The key of a failed query behind a stale image.
    fileprivate var queryKey: ImageKey { ImageKey(source: source, variant: "query") }

    /// The key of a header that exceeds the limits, for all sizes.
    ///
    /// A decode of the first frame alone may succeed although the header states too many.
    fileprivate func headerKey(_ recipe: DecodeRecipe?) -> ImageKey {
        let hash = codecsHash([AnyHashable(request.decoding.limits), AnyHashable(recipe?.options.frames)])
        return ImageKey(source: source, variant: "header \(hash)")
    }

    /// Returns a hash of parameters and of the codecs that they apply to.
    func codecsHash(_ parameters: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(request.optionsBox?.options.codecs?.name)
        hasher.combine(parameters)
        return hasher.finalize()
    }
}

extension LoadError {
    /// True if a transform or an encoder has ended its worker.
    fileprivate var hasEndedWorker: Bool {
        switch underlying {
        case let error as TransformError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        case let error as EncodeError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        default: false
        }
    }

    /// True if a limit of size was exceeded, or the codecs lack a feature.
    var exceedsSize: Bool {
        let code = (underlying as? DecodeError)?.code
        return code == .limitExceeded || code == .unsupportedFeature
    }
}
