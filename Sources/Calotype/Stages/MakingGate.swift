internal import CalotypeLoading

/// Holds back what is made, by its number and by its pixels.
final class MakingGate: Sendable {
    private let places: AdmissionGate?
    /// Those of the places that large work may have: what waits for many pixels leaves some to small work.
    private let largePlaces: AdmissionGate?
    let pixels: ByteBudget?
    private let byteCountMax: Int?

    /// Creates a gate; `nil` where the configuration limits nothing.
    init?(_ configuration: ImagePipeline.Configuration) {
        places = configuration.workGate
        largePlaces = places.map { places in
            let count = max(1, places.countMax - max(1, places.countMax / 8))
            return AdmissionGate(countMax: count, waitingCountMax: places.waitingCountMax ?? .max)
        }
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
    ///   - isDrawing: Whether the work is large whatever its header says, which takes as long to read.
    ///   - size: Finds how large the work is, `nil` where that is not known; called with the place held, so
    ///     that no more headers are read than there are places.
    /// - Returns: What is given back at the end of the work.
    /// - Throws: `FetchError` with `overloaded` where too many wait already, what `size` throws, or
    ///   `CancellationError`.
    func enter(
        _ priority: LivePriority,
        isDrawing: Bool = false,
        size: () async throws -> WorkSize? = { nil }
    ) async throws -> Making {
        var largePlace = isDrawing ? try await largePlaces?.enter(priority) : nil
        var place = try await places?.enter(priority, isReturning: largePlace != nil)
        guard let pixels, let size = try await size() else {
            return Making(place: place, largePlace: largePlace, lease: nil, isLarge: isDrawing)
        }
        if largePlace == nil, let largePlaces, size.isLarge || !pixels.isSmall(size.byteCount) {
            largePlace = largePlaces.enterAtOnce(priority)
            if largePlace == nil {
                // Others have the place meanwhile.
                place?.end()
                largePlace = try await largePlaces.enter(priority)
                place = try await places?.enter(priority, isReturning: true)
            }
        }
        let lease = try await pixels.lease(size.byteCount, priority)
        return Making(place: place, largePlace: largePlace, lease: lease, isLarge: size.isLarge)
    }

    /// The images that are being made and that wait.
    func workload(decodeCount: Int) -> ImagePipeline.Workload {
        ImagePipeline.Workload(
            runningCount: places?.runningCount ?? 0,
            waitingCount: (places?.waitingCount ?? 0) + (largePlaces?.waitingCount ?? 0),
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

/// The right to make something, for one or several holders; released by the last ``end()`` or with the last
/// reference.
struct Making: Sendable {
    /// Whether it leaves a codec thread to small work.
    let isLarge: Bool
    private let hold: SharedHold

    fileprivate init(
        place: AdmissionGate.Permit?,
        largePlace: AdmissionGate.Permit?,
        lease: ByteBudget.Lease?,
        isLarge: Bool
    ) {
        self.isLarge = isLarge
        hold = SharedHold(Permits(place: place, largePlace: largePlace, lease: lease))
    }

    /// Notes how many callers have it from now on.
    func noteHolders(_ count: Int) { hold.noteHolders(count) }

    /// Releases it for one of its holders.
    func end() { hold.end() }

    private final class Permits: Hold {
        let place: AdmissionGate.Permit?
        let largePlace: AdmissionGate.Permit?
        let lease: ByteBudget.Lease?

        init(place: AdmissionGate.Permit?, largePlace: AdmissionGate.Permit?, lease: ByteBudget.Lease?) {
            self.place = place
            self.largePlace = largePlace
            self.lease = lease
        }

        func end() {
            lease?.end()
            place?.end()
            largePlace?.end()
        }
    }
}
