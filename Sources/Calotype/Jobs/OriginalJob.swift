internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Obtains the bytes behind a URL once for all concurrent requests.
///
/// A stored entry is used if it may be. Otherwise the origin's response is decoded, delivered and stored, in
/// this order. A class, because each step passes the job on, and asynchronous functions keep their arguments
/// on the heap.
final class OriginalJob: Sendable {
    let stages: Stages
    let context: LoadContext
    let work: OriginalWork.Context
    /// The recipe for decoding the bytes before they are stored; `nil` to read only their header.
    let recipe: DecodeRecipe?
    let ticket: LoadTicket
    /// The deadline of loading, set when the origin is first queried.
    let deadline = Guarded<ContinuousClock.Instant?>(nil)
    /// The budget of the arriving body; `nil` between bodies.
    let arriving = Guarded<ByteBudget.Lease?>(nil)
    /// The time that the current body has waited for budget.
    let budgetWait = Guarded(Duration.zero)

    init(
        _ context: LoadContext,
        decodedAs recipe: DecodeRecipe?,
        work: OriginalWork.Context,
        stages: Stages
    ) {
        self.context = context.forWork(of: work.priority)
        self.recipe = recipe
        self.work = work
        self.stages = stages
        work.progress.follow(self.context.clock)
        ticket = stages.cache.beginLoad(of: ImageKey(context.source))
        work.progress.noteLoad(ticket.number)
    }

    var request: ImageRequest { context.request }

    var key: ImageKey { ImageKey(context.source) }

    /// Runs the job: store, then freshness, then network.
    ///
    /// - Returns: The bytes, unless they were delivered before.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> OriginalWork.Outcome {
        // A separate function, so that stored bytes are not held while the origin is queried.
        switch try await step() {
        case .use(let original): return .value(original)
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
        if request.alwaysRevalidates { return .validateOrStandIn(stored.released()) }
        guard request.httpCaching == .respectsHTTP else { return .use(stored.original) }
        let now = stages.configuration.timeSource.now()
        let allowance = stages.configuration.staleAllowance
        switch stored.record?.freshness(for: fetchRequest(), at: now, allowing: allowance) ?? .unusable {
        case .usable: return .use(noteStoredContent(of: stored))
        case .usableWhileRevalidating: return .useAndValidate(stored)
        case .needsRevalidation(usableOnErrorUntil: let end):
            return .validate(stored.released(), standsInUntil: end)
        case .unusable:
            _ = stored.released()
            return .load
        case .unavailable: throw Self.notInCache
        }
    }

    /// Returns the stored entry with its HTTP record, or a newer record of the same content; `nil` if newer
    /// content is known.
    func stored() async throws -> Fetched? {
        guard request.isRemote, request.cachePolicy.original.reads else { return nil }
        guard let (blob, lease) = try await storedBlob() else { return nil }
        var original = Original(data: blob.data, source: .disk)
        original.receivedAt = blob.writtenAt
        original.expiresAt = blob.expiresAt
        original.hold = SharedHold(lease)
        var stored = Fetched(
            original: original,
            record: ResponseRecord(encoded: blob.metadata),
            storedMetadata: blob.metadata
        )
        guard let known = stages.sources.validations[key] else { return stored }
        let contentHash = blob.data.contentHash
        stored.original.cacheability.contentHash = contentHash
        guard known.receivedAt >= stored.receivedAt else { return stored }
        guard known.contentHash == contentHash else {
            _ = stored.released()
            return nil
        }
        stored.record = known.record
        return stored
    }

    /// Returns the stored entry with a lease for its bytes.
    ///
    /// Without budget the bytes are released, and read again when there is budget.
    private func storedBlob() async throws -> (Blob, ByteBudget.Lease)? {
        var lease: ByteBudget.Lease?
        while true {
            var lacking: Int?
            let blob = try await stages.storedBlob(
                key,
                for: context,
                through: stages.limits.reading
            ) { byteCount in
                let (budget, origin) = (stages.limits.stored, request.url.originText)
                if lease == nil { lease = budget.leaseAtOnce(byteCount, of: origin) }
                guard let lease, lease.byteCount >= byteCount else {
                    lacking = byteCount
                    return false
                }
                return true
            }
            if let blob, let lease { return (blob, lease) }
            lease = nil
            guard let byteCount = lacking else { return nil }
            lease = try await stages.leaseStored(byteCount, for: context)
        }
    }

    /// Queries the request's URL and its alternatives in turn, until one of them has an image.
    ///
    /// - Parameters:
    ///   - stored: The stored entry that the origin may confirm.
    ///   - isImpatient: True if a stored entry is available: then no try is repeated, and each has a short
    ///     limit.
    /// - Returns: The bytes, unless they were delivered before.
    /// - Throws: ``LoadError`` with the failure of the request's own URL and those of the alternatives, or
    ///   `CancellationError`.
    func load(validating stored: Stored? = nil, isImpatient: Bool = false) async throws
        -> OriginalWork.Outcome
    {
        guard request.cachePolicy.allowsLoading || !request.isRemote else { throw Self.notInCache }
        let places = try places()
        if let limit = stages.configuration.originalTimeout {
            let end = stages.configuration.now() + limit
            deadline.withLock { $0 = $0 ?? end }
        }
        var failures: [LoadError] = []
        for place in places {
            // Alternatives are not contacted once the time of the load is over.
            let end = deadline.withLock(\.self)
            if !failures.isEmpty, let end, stages.configuration.now() >= end { break }
            do {
                let fetched = try await fetchedWhole(place, validating: stored, isImpatient: isImpatient)
                guard fetched.original.source != .disk else {
                    return try await keepConfirmed(consume fetched, by: place)
                }
                // Consumed, so that no pixels are held while the bytes wait to be written.
                return try await keep(consume fetched, of: place, inPlaceOf: stored)
            } catch let error as LoadError {
                note(error, of: place)
                if place.isOwn, error.isGone {
                    await noteGone(insteadOf: stored)
                }
                failures.append(error.at(place.url))
            }
        }
        guard var failure = failures.first else { throw Self.notInCache }
        failure.alternativeFailures = Array(failures.dropFirst())
        throw failure
    }

    /// Loads the bytes of one place and decodes them.
    ///
    /// A body without an announced length may be incomplete: if its image is truncated, it is loaded once
    /// more.
    private func fetchedWhole(
        _ place: Place,
        validating stored: Stored?,
        isImpatient: Bool
    ) async throws -> Fetched {
        var mayBeginAnew = !isImpatient
        while true {
            var fetched = try await context.clock.measure(\.fetch, by: stages.configuration.now) {
                try await fetch(from: place, validating: stored, isImpatient: isImpatient)
            }
            fetched.original.clock = context.clock
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

    /// Decodes the loaded bytes, or reads their header: bytes that are not an image are never stored.
    ///
    /// - Throws: ``LoadError`` if the bytes are not an image, or decoding takes too long. Bytes that only
    ///   this request's limits forbid are left undecoded, and each request reports that itself.
    private func decoded(_ fetched: Fetched) async throws -> Fetched {
        var fetched = fetched
        let (data, limits) = (fetched.original.data, request.decoding.limits)
        do {
            if let recipe {
                fetched.original.decoded = try await stages.decode(data, as: recipe, for: context)
            } else {
                let info = try await stages.info(of: data, limits: limits, for: context)
                fetched.original.header = Original.Header(limits: limits, info: info)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = LoadError(decoding: error)
            if failure.fault == .input { throw failure }
            if failure.hasTimedOut {
                if let recipe {
                    stages.failures.noteDecode(failure, for: context, as: recipe, ticket: ticket)
                }
                guard let recipe, failure.mayFitSmaller else { throw failure }
                fetched.original.decodeFailure = Original.DecodeFailure(recipe, failure)
            }
            // Stored anyway if that takes no waiting: an overload must not query origins twice, and a smaller
            // result may stay within the limits.
            if failure.code == .overloaded || failure.mayFitSmaller || failure.exceedsSize {
                fetched.original.header = try await header(of: data)
            }
        }
        return fetched
    }

    /// Returns the header of bytes that are not decoded now; `nil` if no codec is free, or there is no
    /// header.
    private func header(of data: Data) async throws -> Original.Header? {
        guard let turn = stages.limits.codecTurnAtOnce(context.priority) else { return nil }
        defer { turn.end() }
        let limits = request.decoding.limits
        do {
            let codecs = stages.settings.codecs(for: request)
            let info = try await stages.codecPool.info(of: data, limits: limits, by: codecs)
            return Original.Header(limits: limits, info: info)
        } catch is DecodeError {
            return nil
        }
    }

    /// Loading is not allowed, or of no use.
    static let notInCache = LoadError(stage: .cache, underlying: NotInCacheError())
}

extension LoadError {
    /// Returns the error with the URL that was requested.
    fileprivate func at(_ url: URL) -> LoadError {
        var error = self
        error.address = url.redactedText
        return error
    }
}
