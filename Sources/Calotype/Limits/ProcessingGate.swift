internal import CalotypeLoading

/// Limits the images in progress, by their number and by their pixels.
final class ProcessingGate: Sendable {
    private let places: AdmissionGate?
    /// The permits that large work may have: while it waits for many pixels, some permits are left to small
    /// work.
    private let largePlaces: AdmissionGate?
    let pixels: ByteBudget?
    /// The turns of callers that share one decode; each decode is a host.
    fileprivate let turns: AdmissionGate
    private let maxByteCount: Int?

    /// Creates a gate; `nil` if the configuration limits nothing.
    init?(_ configuration: ImagePipeline.Configuration) {
        places = configuration.workGate
        largePlaces = places.map { places in
            let count = max(1, places.maxCount - max(1, places.maxCount / 8))
            return AdmissionGate(maxCount: count, maxWaitingCount: places.maxWaitingCount ?? .max)
        }
        let maxWaitingCount = places?.maxWaitingCount ?? .max
        turns = AdmissionGate(maxCount: .max, maxCountPerHost: 1, maxWaitingCount: maxWaitingCount)
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
            let permits = Permits(place: place, largePlace: largePlace, lease: nil)
            return Making(permits, isLarge: isDrawing, self)
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
        let permits = Permits(place: place, largePlace: largePlace, lease: lease)
        return Making(permits, isLarge: size.isLarge, self)
    }

    /// Acquires the same permits and budget again; `nil` if they are not available at once.
    fileprivate func enterAtOnce(like other: Permits, _ priority: LivePriority) -> Permits? {
        let largePlace = other.largePlace.flatMap { _ in largePlaces?.enterAtOnce(priority) }
        if other.largePlace != nil, largePlace == nil { return nil }
        let place = other.place.flatMap { _ in places?.enterAtOnce(priority) }
        if other.place != nil, place == nil { return nil }
        let lease = other.lease.flatMap { pixels?.leaseAtOnce($0.byteCount) }
        if other.lease != nil, lease == nil { return nil }
        return Permits(place: place, largePlace: largePlace, lease: lease)
    }

    func workload(decodeCount: Int) -> ImagePipeline.Workload {
        ImagePipeline.Workload(
            runningCount: places?.runningCount ?? 0,
            waitingCount: [places, largePlaces, turns].reduce(0) { $0 + ($1?.waitingCount ?? 0) },
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
    private let permits: Permits
    private let gate: ProcessingGate
    /// The turn of this holder, if there are several; permits of its own, or that to use ``permits``.
    private var turn: (any Hold)?

    fileprivate init(_ permits: Permits, isLarge: Bool, _ gate: ProcessingGate) {
        self.isLarge = isLarge
        self.permits = permits
        self.gate = gate
        hold = SharedHold(permits)
    }

    /// Sets the number of callers that share it.
    func noteHolders(_ count: Int) { hold.noteHolders(count) }

    /// Waits until this holder may create pixels of its own: one holder at a time, and more of them with
    /// permits and a budget that are available at once.
    ///
    /// No holder waits for permits of others, so that shared work cannot deadlock.
    ///
    /// - Parameters:
    ///   - priority: The priority, which may change during the wait.
    ///   - isAdmitted: True if a full queue must not refuse the holder.
    /// - Returns: The right with the turn, both to be released by ``end()``.
    /// - Throws: `FetchError` with `overloaded` if too many wait already, or `CancellationError`; this holder
    ///   is then released.
    func inTurn(_ priority: LivePriority, isAdmitted: Bool = false) async throws -> Making {
        guard hold.isShared else { return self }
        do {
            let turn = try await gate.turns.enter(host: permits.name, priority, isReturning: isAdmitted)
            var own = self
            own.turn = gate.enterAtOnce(like: permits, priority) ?? turn
            return own
        } catch {
            end()
            throw error
        }
    }

    /// Leases more pixels, for a result that turns out to be larger than the header told.
    ///
    /// - Throws: `CancellationError`.
    func grow(to byteCount: Int) async throws {
        let lease = (turn as? Permits ?? permits).lease
        if let lease, lease.byteCount < byteCount { try await lease.grow(to: byteCount) }
    }

    /// Releases it for one of its holders.
    func end() {
        turn?.end()
        hold.end()
    }
}

/// The permits and the budget of one image in progress.
private final class Permits: Hold {
    let place: AdmissionGate.Permit?
    let largePlace: AdmissionGate.Permit?
    let lease: ByteBudget.Lease?

    init(place: AdmissionGate.Permit?, largePlace: AdmissionGate.Permit?, lease: ByteBudget.Lease?) {
        self.place = place
        self.largePlace = largePlace
        self.lease = lease
    }

    /// A name that no other permits have at the same time.
    var name: String { "\(UInt(bitPattern: ObjectIdentifier(self)))" }

    func end() {
        lease?.end()
        place?.end()
        largePlace?.end()
    }
}
