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
    /// Reads of the stores; no more than can be decoded soon.
    let reading: AdmissionGate
    /// Questions to the stores.
    let storeReads: StoreReads
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
        storeReads = StoreReads(atMost: configuration.storeTimeout)
        making = MakingGate(configuration)
        let width = configuration.cache.codecPool.concurrencyMax
        codecs = AdmissionGate(countMax: width)
        largeCodecs = making.flatMap { _ in width > 1 ? AdmissionGate(countMax: width - 1) : nil }
        reading = AdmissionGate(countMax: 4 * width + 8)
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

/// Holds back what is made, by its number and by its pixels.
final class MakingGate: Sendable {
    private let places: AdmissionGate?
    let pixels: ByteBudget?
    private let byteCountMax: Int?

    /// Creates a gate; `nil` where the configuration limits nothing.
    init?(_ configuration: ImagePipeline.Configuration) {
        places = configuration.workGate
        byteCountMax = configuration.workByteCountMax
        pixels = byteCountMax.map { most in
            ByteBudget(
                ByteLedger.Terms(
                    byteCountMax: most,
                    smallByteCountMax: most / 16,
                    smallReserve: most / 8
                )
            )
        }
        if places == nil, pixels == nil { return nil }
    }

    /// A place, and room for pixels, as soon as there are both.
    ///
    /// - Parameters:
    ///   - priority: How urgent it is; may change while it waits.
    ///   - size: Finds how large the work is, `nil` where that is not known; called with the place held, so
    ///     that no more headers are read than there are places.
    /// - Returns: What is given back at the end of the work.
    /// - Throws: `FetchError` with `overloaded` where too many wait already, what `size` throws, or
    ///   `CancellationError`.
    func enter(
        _ priority: LivePriority,
        size: () async throws -> WorkSize? = { nil }
    ) async throws -> Making {
        let place = try await places?.enter(priority)
        guard let pixels, let size = try await size() else {
            return Making(place: place, lease: nil, isLarge: false)
        }
        let lease = try await pixels.lease(size.byteCount, priority)
        return Making(place: place, lease: lease, isLarge: size.isLarge)
    }

    /// The images that are being made and that wait.
    func workload(decodeCount: Int) -> ImagePipeline.Workload {
        ImagePipeline.Workload(
            runningCount: places?.runningCount ?? 0,
            waitingCount: places?.waitingCount ?? 0,
            heldByteCount: pixels?.heldByteCount ?? 0,
            byteCountMax: byteCountMax,
            runningCountMax: places?.countMax,
            waitingCountMax: places?.waitingCountMax,
            startedCount: places?.startedCount ?? 0,
            endedCount: places?.endedCount ?? 0,
            decodeCount: decodeCount
        )
    }
}

/// The right to make something; given back by ``end()`` or with the last reference.
final class Making: Hold {
    private let place: AdmissionGate.Permit?
    private let lease: ByteBudget.Lease?
    /// Whether it leaves a codec thread to small work.
    let isLarge: Bool

    fileprivate init(place: AdmissionGate.Permit?, lease: ByteBudget.Lease?, isLarge: Bool) {
        self.place = place
        self.lease = lease
        self.isLarge = isLarge
    }

    func end() {
        lease?.end()
        place?.end()
    }
}
