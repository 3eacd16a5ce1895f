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
    /// Queries of the stores.
    let storeReads: StoreReads
    /// Removals from the stores, and writes of partial bodies.
    let storeWrites: StoreReads
    /// Queries of the store of partial bodies, and writes to it.
    let partials: StoreReads
    /// Permits and pixels of images in progress, if they are limited.
    let making: MakingGate?
    /// Codec threads, by priority.
    private let codecs: AdmissionGate
    /// The codec threads that large work may have.
    private let largeCodecs: AdmissionGate?

    init(_ configuration: ImagePipeline.Configuration) {
        let inFlight = configuration.byteCountInFlightMax
        fetching = ByteBudget(
            ByteLedger.Terms(byteCountMax: inFlight / 4 * 3, originByteCountMax: inFlight / 8 * 3)
        )
        writing = ByteBudget(ByteLedger.Terms(byteCountMax: inFlight / 4))
        validating = ByteBudget(
            ByteLedger.Terms(byteCountMax: inFlight / 4, originByteCountMax: inFlight / 8)
        )
        stored = ByteBudget(
            ByteLedger.Terms(
                byteCountMax: inFlight / 4,
                originByteCountMax: inFlight / 8,
                smallByteCountMax: inFlight / 256,
                smallReserve: inFlight / 16
            ),
            waitingCountMax: configuration.workGate?.waitingCountMax ?? .max
        )
        storeReads = StoreReads(atMost: configuration.storeTimeout)
        storeWrites = StoreReads(atMost: configuration.storeTimeout)
        partials = StoreReads(atMost: configuration.storeTimeout)
        making = MakingGate(configuration)
        let width = configuration.cache.codecPool.concurrencyMax
        codecs = AdmissionGate(countMax: width)
        largeCodecs = making.flatMap { _ in width > 1 ? AdmissionGate(countMax: width - 1) : nil }
        reading = AdmissionGate(countMax: 4 * width + 8)
        variantReading = AdmissionGate(countMax: 4 * width + 8)
    }

    /// The number of codec threads in use.
    var codecCount: Int { codecs.runningCount }

    /// The number of callers that wait for a codec thread.
    var waitingCodecCount: Int { codecs.waitingCount + (largeCodecs?.waitingCount ?? 0) }

    /// Waits for a codec thread; the priority may change during the wait.
    ///
    /// - Throws: `CancellationError`.
    func codecTurn(_ priority: LivePriority, isLarge: Bool = false) async throws -> CodecTurn {
        let large = isLarge ? try await largeCodecs?.enter(priority) : nil
        return CodecTurn(permit: try await codecs.enter(priority), large: large)
    }

    /// Returns a codec thread if one is free at once; otherwise `nil`.
    func codecTurnAtOnce(_ priority: LivePriority) -> CodecTurn? {
        codecs.enterAtOnce(priority).map { CodecTurn(permit: $0, large: nil) }
    }

    /// The right to use a codec thread; released by ``end()`` or with the last copy.
    struct CodecTurn: Sendable {
        fileprivate let permit: AdmissionGate.Permit
        fileprivate let large: AdmissionGate.Permit?

        func end() {
            permit.end()
            large?.end()
        }
    }
}
