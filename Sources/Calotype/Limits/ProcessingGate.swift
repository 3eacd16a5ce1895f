internal import CalotypeLoading

/// Limits the images in progress, by their number and by their pixels.
final class ProcessingGate: Sendable {
    /// The permits, some of which are left to small work while large work waits for many pixels.
    private let places: AdmissionGate?
    let pixels: ByteBudget?
    /// The turns of callers that share one decode; each decode is a host.
    fileprivate let turns: AdmissionGate
    private let maxByteCount: Int?

    /// Creates a gate; `nil` if the configuration limits nothing.
    init?(_ configuration: ImagePipeline.Configuration) {
        places = configuration.workGate
        let maxWaitingCount = places?.maxWaitingCount ?? .max
        if let places {
            places.limit(
                WorkSize.largeHost,
                maxCount: max(1, places.maxCount - max(1, places.maxCount / 8)),
                maxWaitingCount: maxWaitingCount
            )
        }
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
        var place = try await places?.enter(host: WorkSize.host(isLarge: isDrawing), priority)
        guard let pixels, let size = try await size() else {
            return Making(Permits(place: place, isLarge: isDrawing), isLarge: isDrawing, self)
        }
        let isLarge = isDrawing || size.isLarge || !pixels.isSmall(size.byteCount)
        if isLarge, !isDrawing, let held = place, !held.move(to: WorkSize.largeHost) {
            // Other work uses the permit meanwhile.
            held.end()
            place = try await places?.enter(host: WorkSize.largeHost, priority, isReturning: true)
        }
        let lease = try await pixels.lease(size.byteCount, priority)
        let permits = Permits(place: place, isLarge: isLarge, lease: lease)
        return Making(permits, isLarge: size.isLarge, self)
    }

    /// Acquires the same permits and budget again; `nil` if they are not available at once.
    fileprivate func enterAtOnce(like other: Permits, _ priority: LivePriority) -> Permits? {
        let host = WorkSize.host(isLarge: other.isLarge)
        let place = other.place.flatMap { _ in places?.enterAtOnce(host: host, priority) }
        if other.place != nil, place == nil { return nil }
        let lease = other.lease.flatMap { pixels?.leaseAtOnce($0.byteCount) }
        if other.lease != nil, lease == nil { return nil }
        return Permits(place: place, isLarge: other.isLarge, lease: lease)
    }

    func workload(decodeCount: Int) -> ImagePipeline.Workload {
        ImagePipeline.Workload(
            runningCount: places?.runningCount ?? 0,
            waitingCount: [places, turns].reduce(0) { $0 + ($1?.waitingCount ?? 0) },
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

    /// Leases more pixels, for a result that turns out to be larger than expected.
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

/// The permit and the budget of one image in progress.
private final class Permits: Hold {
    let place: AdmissionGate.Permit?
    /// True if the permit is one for large work.
    let isLarge: Bool
    let lease: ByteBudget.Lease?

    init(place: AdmissionGate.Permit?, isLarge: Bool, lease: ByteBudget.Lease? = nil) {
        (self.place, self.isLarge, self.lease) = (place, isLarge, lease)
    }

    /// A name that no other permits have at the same time.
    var name: String { "\(UInt(bitPattern: ObjectIdentifier(self)))" }

    func end() {
        lease?.end()
        place?.end()
    }
}
