internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The permits and budgets of a pipeline, stage by stage (decision 0300).
///
/// No permit of ``making`` is held while bytes are fetched, and no permit or budget while the header of a
/// response is awaited.
final class StageLimits: Sendable {
    /// Bytes that have arrived and are not decoded yet.
    let fetching: ByteBudget
    /// Bytes that wait to be written.
    let writing: ByteBudget
    /// Stale bytes that were delivered and are being revalidated.
    let validating: ByteBudget
    /// Bytes of originals from the stores that are not decoded yet.
    let stored: ByteBudget
    /// Reads of originals from the stores.
    let reading: AdmissionGate
    /// Reads of encoded variants, which are not decoded.
    let variantReading: AdmissionGate
    /// Reads of partial bodies, whose store may be slower than the others.
    let partialReading: AdmissionGate
    let storeReads: StoreQueries
    /// Removals from the stores, and writes of partial bodies.
    let storeWrites: StoreQueries
    /// Queries of the store of partial bodies, and writes to it.
    let partials: StoreQueries
    /// Permits and pixels of images in progress, if they are limited.
    let making: ProcessingGate?
    /// Codec threads, by priority; large work may have all but one.
    private let codecs: AdmissionGate

    init(_ configuration: ImagePipeline.Configuration) {
        let inFlight = configuration.maxByteCountInFlight
        fetching = ByteBudget(
            ByteLedger.Terms(maxByteCount: inFlight / 4 * 3, maxOriginByteCount: inFlight / 8 * 3)
        )
        writing = ByteBudget(ByteLedger.Terms(maxByteCount: inFlight / 4))
        validating = ByteBudget(
            ByteLedger.Terms(maxByteCount: inFlight / 4, maxOriginByteCount: inFlight / 8)
        )
        stored = ByteBudget(
            ByteLedger.Terms(
                maxByteCount: inFlight / 4,
                maxOriginByteCount: inFlight / 8,
                maxSmallByteCount: inFlight / 256,
                smallReserve: inFlight / 16
            ),
            maxWaitingCount: configuration.workGate?.maxWaitingCount ?? .max
        )
        storeReads = StoreQueries(atMost: configuration.storeTimeout)
        storeWrites = StoreQueries(atMost: configuration.storeTimeout)
        partials = StoreQueries(atMost: configuration.storeTimeout)
        making = ProcessingGate(configuration)
        let width = configuration.cache.codecPool.maxConcurrency
        codecs = AdmissionGate(maxCount: width)
        if making != nil, width > 1 { codecs.limit(WorkSize.largeHost, maxCount: width - 1) }
        reading = AdmissionGate(maxCount: 4 * width + 8)
        variantReading = AdmissionGate(maxCount: 4 * width + 8)
        partialReading = AdmissionGate(maxCount: 4 * width + 8)
    }

    /// The number of codec threads in use.
    var codecCount: Int { codecs.runningCount }

    var waitingCodecCount: Int { codecs.waitingCount }

    /// Waits for a codec thread; the priority may change during the wait.
    ///
    /// - Throws: `CancellationError`.
    func codecTurn(_ priority: LivePriority, isLarge: Bool = false) async throws -> CodecTurn {
        CodecTurn(permit: try await codecs.enter(host: WorkSize.host(isLarge: isLarge), priority))
    }

    /// Returns a codec thread if one is free at once; otherwise `nil`.
    func codecTurnAtOnce(_ priority: LivePriority) -> CodecTurn? {
        codecs.enterAtOnce(priority).map { CodecTurn(permit: $0) }
    }

    /// The right to use a codec thread; released by ``end()`` or with the last copy.
    struct CodecTurn: Sendable {
        fileprivate let permit: AdmissionGate.Permit

        func end() { permit.end() }
    }
}
