internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The permits and budgets of a pipeline, stage by stage (decision 0300).
///
/// Nothing of ``making`` is held while bytes are fetched, and nothing of either while the head of a response
/// is awaited.
final class Stages: Sendable {
    /// Bytes that have arrived and are not decoded.
    let fetching: ByteBudget
    /// Bytes that wait to be written.
    let writing: ByteBudget
    /// Stale bytes that have been delivered and whose origin is asked behind that.
    let validating: ByteBudget
    /// Bytes of originals from the stores that are not decoded.
    let stored: ByteBudget
    /// Reads of originals from the stores.
    let reading: AdmissionGate
    /// Reads of encoded variants, which are not decoded.
    let variantReading: AdmissionGate
    /// Questions to the stores.
    let storeReads: StoreReads
    /// Removals from the stores, and writes of bodies that broke off.
    let storeWrites: StoreReads
    /// Places and pixels, where they are limited.
    let making: MakingGate?
    /// Codec threads, by priority.
    private let codecs: AdmissionGate
    /// Those of them that large work may have.
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
            )
        )
        storeReads = StoreReads(atMost: configuration.storeTimeout)
        storeWrites = StoreReads(atMost: configuration.storeTimeout)
        making = MakingGate(configuration)
        let width = configuration.cache.codecPool.concurrencyMax
        codecs = AdmissionGate(countMax: width)
        largeCodecs = making.flatMap { _ in width > 1 ? AdmissionGate(countMax: width - 1) : nil }
        reading = AdmissionGate(countMax: 4 * width + 8)
        variantReading = AdmissionGate(countMax: 4 * width + 8)
    }

    /// How many codec threads are taken.
    var codecCount: Int { codecs.runningCount }

    /// How many wait for a codec thread.
    var waitingCodecCount: Int { codecs.waitingCount + (largeCodecs?.waitingCount ?? 0) }

    /// The turn of a codec; the priority may change while it is waited for.
    ///
    /// - Throws: `CancellationError`.
    func codecTurn(_ priority: LivePriority, isLarge: Bool = false) async throws -> CodecTurn {
        let large = isLarge ? try await largeCodecs?.enter(priority) : nil
        return CodecTurn(permit: try await codecs.enter(priority), large: large)
    }

    /// The turn of a codec, where there is one at once.
    func codecTurnAtOnce(_ priority: LivePriority) -> CodecTurn? {
        codecs.enterAtOnce(priority).map { CodecTurn(permit: $0, large: nil) }
    }

    /// A codec thread; given back by ``end()`` or with the last copy.
    struct CodecTurn: Sendable {
        fileprivate let permit: AdmissionGate.Permit
        fileprivate let large: AdmissionGate.Permit?

        func end() {
            permit.end()
            large?.end()
        }
    }
}
