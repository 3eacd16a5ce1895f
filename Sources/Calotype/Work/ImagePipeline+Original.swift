internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

extension ImagePipeline {
    typealias OriginalWork = SharedWork<OriginalKey, Original, Transfer>

    /// The bytes for a request: from the stores, else from the loader; shared by all that ask at the same
    /// time.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - source: Where from.
    ///   - recipe: What they are decoded to before they are kept; where it is `nil` only their header is
    ///     read.
    ///   - priority: How urgent it is.
    ///   - onJoin: Called with the transfer.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func original(
        for request: ImageRequest,
        source: String,
        decodedAs recipe: DecodeRecipe?,
        priority: LivePriority,
        onJoin: ((Transfer) -> Void)?
    ) async throws -> Original {
        var transfer: Transfer?
        var original = try await originals.value(
            for: OriginalKey(source: source, request: request),
            priority: priority,
            onJoin: {
                transfer = $0
                onJoin?($0)
            }
        ) { context in
            let loading = OriginalLoading(
                request: request,
                source: source,
                recipe: recipe,
                context: context
            )
            guard let stored = try await self.storedOriginal(of: loading) else {
                return try await self.loadOriginal(loading)
            }
            return try await self.judge(stored, loading)
        }
        if request.waitsForStore { original.storeFailure = try await transfer?.untilStored() }
        return original
    }

    private func storedOriginal(of loading: OriginalLoading) async throws -> Blob? {
        let request = loading.request
        guard request.isRemote, request.cachePolicy.original.reads else { return nil }
        return try await storedBlob(loading.key, of: request)
    }

    /// Loads, decodes, delivers, stores, in this order; a caller that waits for the store waits by itself.
    ///
    /// - Parameter loading: What to load.
    /// - Returns: What has not been delivered.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func loadOriginal(_ loading: OriginalLoading) async throws -> Original? {
        guard loading.request.cachePolicy.allowsLoading || !loading.request.isRemote else {
            throw LoadError(stage: .cache, underlying: NotInCacheError())
        }
        return try await keep(try await fetch(loading), loading)
    }

    /// Decodes what was loaded, delivers it, and stores it where it is an image and may be kept.
    func keep(_ fetched: Fetched, _ loading: OriginalLoading) async throws -> Original? {
        let request = loading.request
        var original = noteContent(of: loading, fetched)
        do {
            if let recipe = loading.recipe {
                original.decoded = try await decode(original.data, recipe, request)
            } else {
                let limits = request.decoding.limits
                let info = try await cache.info(of: original.data, limits: limits)
                original.header = Original.Header(limits: limits, info: info)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = LoadError(decoding: error)
            noteUndecodable(failure, loading)
            // What took too long once is not tried again by each request that waits.
            if failure.hasTimedOut { throw failure }
            // Each request decodes for itself and reports its own error; nothing is kept.
            return original
        }
        guard request.isRemote, request.cachePolicy.original.writes, original.keeping.isAllowed else {
            return original
        }
        let metadata = fetched.record?.encoded() ?? Data()
        let failure = await store(original.data, for: loading.key, of: request, metadata: metadata) {
            loading.context.deliver(original, later: original.withoutPixels)
            original = original.withoutPixels
        }
        loading.context.board.noteStoreFailure(failure)
        return nil
    }

    private func noteUndecodable(_ failure: LoadError, _ loading: OriginalLoading) {
        guard loading.request.isRemote, failure.isFaultOfInput || failure.hasTimedOut else { return }
        let now = configuration.now()
        failures.withLock { $0.note(failure, of: loading.source, at: now) }
    }
}

/// One piece of work that loads an original.
///
/// A class: each step takes it on, and an asynchronous function keeps what it was given on the heap.
final class OriginalLoading: Sendable {
    let request: ImageRequest
    let source: String
    let recipe: DecodeRecipe?
    let context: ImagePipeline.OriginalWork.Context

    init(
        request: ImageRequest,
        source: String,
        recipe: DecodeRecipe?,
        context: ImagePipeline.OriginalWork.Context
    ) {
        (self.request, self.source, self.recipe, self.context) = (request, source, recipe, context)
    }

    /// What the original is kept under.
    var key: ImageKey { ImageKey(source) }

    /// The request as the loader is given it.
    ///
    /// - Parameters:
    ///   - url: The request's URL, or an alternative to it.
    ///   - conditions: Header fields that make it conditional.
    /// - Returns: The request; to another origin than its own only fields without secrets go.
    func fetchRequest(to url: URL? = nil, conditions: [HeaderField] = []) -> FetchRequest {
        let url = url ?? request.url
        let isForeign = url != request.url && url.origin != request.url.origin
        let headers = isForeign ? request.headers.filter(\.isForAnyOrigin) : request.headers
        return FetchRequest(
            url: url,
            headers: headers + conditions,
            byteCountMax: request.decoding.limits.byteCountMax,
            priority: context.priority
        )
    }
}

extension URL {
    /// Scheme, host and port, as they count for credentials: `http` on the host of an `https` URL is another.
    fileprivate var origin: [String?] {
        let scheme = scheme?.lowercased()
        let standardPort = scheme == "https" ? 443 : 80
        return [scheme, host()?.lowercased(), String(port ?? standardPort)]
    }
}
