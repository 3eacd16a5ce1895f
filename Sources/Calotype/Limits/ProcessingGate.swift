internal import CalotypeLoading

/// Limits the images in progress, by their number and by their pixels.
final class ProcessingGate: Sendable {
    private let places: AdmissionGate?
    /// The permits that large work may have: while it waits for many pixels, some permits are left to small
    /// work.
    private let largePlaces: AdmissionGate?
    let pixels: ByteBudget?
    private let maxByteCount: Int?

    /// Creates a gate; `nil` if the configuration limits nothing.
    init?(_ configuration: ImagePipeline.Configuration) {
        places = configuration.workGate
        largePlaces = places.map { places in
            let count = max(1, places.maxCount - max(1, places.maxCount / 8))
            return AdmissionGate(maxCount: count, maxWaitingCount: places.maxWaitingCount ?? .max)
        }
        maxByteCount = configuration.maxWorkByteCount
        pixels = maxByteCount.map { most in
            ByteBudget(
                ByteLedger.Terms(
                    maxByteCount: most,
                    maxSmallByteCount: most / 16,
                    smallReserve: most / 8
                )
            )
        }
        if places == nil, pixels == nil { return nil }
    }

    /// Acquires a permit and a budget of pixels, as soon as both are available.
    ///
    /// - Parameters:
    ///   - priority: The priority, which may change during the wait.
    ///   - isDrawing: True for work that is large whatever its header says, and whose header takes as long to
    ///     read.
    ///   - size: Returns the size of the work, `nil` if unknown; called with the permit held, so that no more
    ///     headers are read than there are permits.
    /// - Returns: The permits and the budget, to be released at the end of the work.
    /// - Throws: `FetchError` with `overloaded` if too many wait already, the error of `size`, or
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
                // Other work uses the permit meanwhile.
                place?.end()
                largePlace = try await largePlaces.enter(priority)
                place = try await places?.enter(priority, isReturning: true)
            }
        }
        let lease = try await pixels.lease(size.byteCount, priority)
        return Making(place: place, largePlace: largePlace, lease: lease, isLarge: size.isLarge)
    }

    func workload(decodeCount: Int) -> ImagePipeline.Workload {
        ImagePipeline.Workload(
            runningCount: places?.runningCount ?? 0,
            waitingCount: (places?.waitingCount ?? 0) + (largePlaces?.waitingCount ?? 0),
            heldByteCount: pixels?.heldByteCount ?? 0,
            maxByteCount: maxByteCount,
            maxRunningCount: places?.maxCount,
            maxWaitingCount: places?.maxWaitingCount,
            startedCount: places?.startedCount ?? 0,
            endedCount: places?.endedCount ?? 0,
            decodeCount: decodeCount
        )
    }
}

/// The right to process an image, for one or several holders; released by the last ``end()`` or with the last
/// reference.
struct Making: Sendable {
    /// True if the work leaves a codec thread to small work.
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

    /// Sets the number of callers that share it.
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
