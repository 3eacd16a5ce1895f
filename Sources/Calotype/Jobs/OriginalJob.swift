internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Gets the bytes behind a URL, once for all that ask for them at the same time: what a store has where that
/// may be used, else what the origin sends, which is decoded, handed over and stored, in this order.
///
/// A class: each step takes it on, and an asynchronous function keeps what it was given on the heap.
final class OriginalJob: Sendable {
    let pipeline: ImagePipeline
    let request: ImageRequest
    /// Where the bytes come from, as text; what they are kept under.
    let source: String
    /// What they are decoded to before they are kept; where it is `nil` only their header is read.
    let recipe: DecodeRecipe?
    let context: ImagePipeline.OriginalWork.Context
    let ticket: LoadTicket
    let clock = StageClock()
    /// When loading has failed; counts from the first time that the origin is asked.
    let deadline = Guarded<ContinuousClock.Instant?>(nil)

    init(
        _ pipeline: ImagePipeline,
        _ request: ImageRequest,
        source: String,
        recipe: DecodeRecipe?,
        _ context: ImagePipeline.OriginalWork.Context
    ) {
        (self.pipeline, self.request, self.source) = (pipeline, request, source)
        (self.recipe, self.context) = (recipe, context)
        context.progress.follow(clock)
        ticket = pipeline.cache.beginLoad(of: ImageKey(source))
    }

    /// What the original is kept under.
    var key: ImageKey { ImageKey(source) }

    /// The whole way of an original.
    ///
    /// - Returns: The bytes; `nil` where they have been delivered.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> Original? {
        // Found out in a function of its own: what it has read is not held while the origin is asked.
        switch try await step() {
        case .use(let original): return original
        case .useAndValidate(let stored): return await deliverAndValidate(stored)
        case .load: return try await load()
        case .validate(let stored, standsInUntil: let end?):
            return try await load(validating: stored, whichStandsInUntil: end)
        case .validate(let stored, standsInUntil: nil): return try await load(validating: stored)
        case .validateOrStandIn(let stored): return try await loadOrStandIn(validating: stored)
        }
    }

    /// The next step for an original, by the state of its entry in the stores.
    private enum Step {
        case use(Original)
        case useAndValidate(Fetched)
        case load
        case validate(Stored, standsInUntil: Timestamp?)
        case validateOrStandIn(Stored)
    }

    private func step() async throws -> Step {
        guard let stored = try await stored() else { return .load }
        if request.alwaysValidates { return .validateOrStandIn(stored.released()) }
        guard request.httpCaching == .respectsHTTP else { return .use(stored.original) }
        let now = pipeline.configuration.timeSource.now()
        let allowance = pipeline.configuration.staleAllowance
        switch stored.record?.freshness(for: fetchRequest(), at: now, allowing: allowance) ?? .unusable {
        case .usable: return .use(noteContent(of: stored))
        case .usableWhileRevalidating: return .useAndValidate(stored)
        case .needsRevalidation(usableOnErrorUntil: let end):
            return .validate(stored.released(), standsInUntil: end)
        case .unusable:
            _ = stored.released()
            return .load
        case .unavailable: throw Self.notInCache
        }
    }

    /// What the stores have, and what its origin said of it.
    func stored() async throws -> Fetched? {
        guard request.isRemote, request.cachePolicy.original.reads else { return nil }
        guard let (blob, lease) = try await storedBlob() else { return nil }
        var original = Original(data: blob.data, source: .disk)
        original.receivedAt = blob.writtenAt
        original.expiresAt = blob.expiresAt
        original.hold = SharedHold(lease)
        return Fetched(original: original, record: ResponseRecord(encoded: blob.metadata))
    }

    /// The entry of the stores with room for its bytes; where there is none they are let go, and read again
    /// once there is.
    private func storedBlob() async throws -> (Blob, ByteBudget.Lease)? {
        let (stages, origin) = (pipeline.stages, request.url.originText)
        var lease: ByteBudget.Lease?
        while true {
            let byteCount: Int
            do {
                let permit = try await stages.reading.enter(context.priority)
                defer { permit.end() }
                guard let blob = try await pipeline.storedBlob(key, of: request) else { return nil }
                byteCount = blob.data.count
                if lease == nil { lease = stages.stored.leaseAtOnce(byteCount, of: origin) }
                if let lease, lease.byteCount >= byteCount { return (blob, lease) }
            }
            lease = nil
            lease = try await stages.stored.lease(byteCount, of: origin, context.priority)
        }
    }

    /// Asks the request's URL and its alternatives in turn, until one of them has an image.
    ///
    /// - Parameters:
    ///   - stored: What a store has, which the origin may confirm.
    ///   - isImpatient: Whether something else is at hand: then no try is repeated, and none takes long.
    /// - Returns: The bytes; `nil` where they have been delivered.
    /// - Throws: ``LoadError`` with what the request's own URL failed with and what the others did, or
    ///   `CancellationError`.
    func load(validating stored: Stored? = nil, isImpatient: Bool = false) async throws -> Original? {
        guard request.cachePolicy.allowsLoading || !request.isRemote else { throw Self.notInCache }
        let places = try places()
        if let limit = pipeline.configuration.originalTimeout {
            let end = pipeline.configuration.now() + limit
            deadline.withLock { $0 = $0 ?? end }
        }
        var failures: [LoadError] = []
        for place in places {
            do {
                let fetched = try await fetchedWhole(place, validating: stored, isImpatient: isImpatient)
                guard fetched.original.source != .disk else {
                    return try await keepConfirmed(consume fetched, by: place)
                }
                // Given away: what waits to be written holds no pixels.
                return try await keep(consume fetched, of: place, inPlaceOf: stored)
            } catch let error as LoadError {
                note(error, of: place)
                if stored != nil, place.isOwn, error.isGone { await forgetStored() }
                failures.append(error.at(place.url))
            }
        }
        guard var failure = failures.first else { throw Self.notInCache }
        failure.alternativeFailures = Array(failures.dropFirst())
        throw failure
    }

    /// The bytes of one place, decoded.
    ///
    /// A body without an announced length may have been cut off: if the image in it is truncated, it is
    /// loaded once more.
    private func fetchedWhole(
        _ place: Place,
        validating stored: Stored?,
        isImpatient: Bool
    ) async throws -> Fetched {
        var mayBeginAnew = !isImpatient
        while true {
            var fetched = try await clock.measure(\.fetch, by: pipeline.configuration.now) {
                try await fetch(from: place, validating: stored, isImpatient: isImpatient)
            }
            fetched.original.clock = clock
            guard fetched.original.source != .disk else { return fetched }
            do {
                return try await decoded(fetched)
            } catch var error as LoadError where fetched.mayBeCut(error) {
                error.isPassing = true
                guard mayBeginAnew else { throw error }
                mayBeginAnew = false
            }
        }
    }

    /// Decodes what was loaded, or reads its header: what is no image is never kept.
    ///
    /// - Throws: ``LoadError`` where the bytes are no image, or take too long; what only this request's
    ///   limits forbid is left undecoded, and each request reports it for itself.
    private func decoded(_ fetched: Fetched) async throws -> Fetched {
        var fetched = fetched
        let (data, limits) = (fetched.original.data, request.decoding.limits)
        do {
            if let recipe {
                fetched.original.decoded = try await pipeline.decode(
                    data,
                    recipe,
                    request,
                    context.priority,
                    clock
                )
            } else {
                let codecs = pipeline.codecs(for: request)
                let info = try await pipeline.info(of: data, limits: limits, by: codecs, context.priority)
                fetched.original.header = Original.Header(limits: limits, info: info)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = LoadError(decoding: error)
            if failure.fault == .input { throw failure }
            if failure.hasTimedOut {
                guard let recipe, failure.mayFitSmaller else { throw failure }
                fetched.original.decodeFailure = Original.DecodeFailure(recipe, failure)
            }
            // Kept all the same where that takes no waiting: overload asks origins for little twice, and a
            // smaller result may be in reach of the limits.
            if failure.code == .overloaded || failure.mayFitSmaller {
                fetched.original.header = try await header(of: data)
            }
        }
        return fetched
    }

    /// The header of what is not decoded now; `nil` where no codec has time for it at once.
    private func header(of data: Data) async throws -> Original.Header? {
        guard let turn = pipeline.stages.codecTurnAtOnce(context.priority) else { return nil }
        defer { turn.end() }
        let limits = request.decoding.limits
        do {
            let codecs = pipeline.codecs(for: request)
            let info = try await pipeline.codecPool.info(of: data, limits: limits, by: codecs)
            return Original.Header(limits: limits, info: info)
        } catch is DecodeError {
            return nil
        }
    }

    /// Hands an image over and stores it where it may be kept; a caller that waits for the store waits by
    /// itself.
    private func keep(
        _ fetched: consuming Fetched,
        of place: Place,
        inPlaceOf stored: Stored?
    ) async throws -> Original? {
        noteSuccess(of: place)
        var original = noteContent(of: fetched)
        let isSeen = pipeline.serializer(for: request)?.seesImages == true
        let seen = isSeen ? original.decoded?.image : nil
        fetched.original = original.whileWritten
        let mayKeep =
            request.isRemote && request.cachePolicy.original.writes && original.cacheability.isAllowed
        if !original.cacheability.isAllowed, await keepsOlder(than: stored) {
            context.deliver(original, later: original.whileWritten)
            original = original.whileWritten
            await forgetStored()
            return nil
        }
        guard mayKeep, original.isKnownImage else { return original }
        let lease = try await pipeline.leaseToWrite(original.data.count, for: request, context.priority) {
            // Whoever does not wait for the store gets it now.
            context.deliver(original, later: original.whileWritten)
            original = original.whileWritten
        }
        guard let lease else {
            context.progress.noteStoreFailure(.storeBusy)
            return original
        }
        let (data, metadata) = (original.data, fetched.record?.encoded() ?? Data())
        let failure = await pipeline.store(
            data,
            for: key,
            of: request,
            decodedTo: seen,
            metadata: metadata,
            ticket: ticket
        ) {
            context.deliver(original, later: original.whileWritten)
            original = original.whileWritten
        }
        lease.end()
        context.progress.noteStoreFailure(failure)
        return nil
    }

    /// Whether the stores have something of the source that is older than what was loaded.
    private func keepsOlder(than stored: Stored?) async -> Bool {
        if stored != nil { return true }
        guard request.isRemote, request.cachePolicy.original == .writeOnly else { return false }
        // A store that cannot be asked has failed; removing from it would, too.
        do {
            return try await pipeline.stages.storeReads.answer { [pipeline, key] in
                try await pipeline.isStored(key)
            }
        } catch {
            return false
        }
    }

    /// Loading is not allowed, or of no use.
    static let notInCache = LoadError(stage: .cache, underlying: NotInCacheError())
}

extension LoadError {
    /// The same, of a URL that was asked.
    fileprivate func at(_ url: URL) -> LoadError {
        var error = self
        error.address = url.textForLogs
        return error
    }
}
