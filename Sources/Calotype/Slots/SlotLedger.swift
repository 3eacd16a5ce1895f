/// Which loads of a slot may still show something: a pure value, driven by ``ImageSlot``.
///
/// A load that is not in the ledger has been replaced, cancelled or has ended: whatever it still brings is
/// late, and never arrives.
struct SlotLedger: Sendable {
    typealias LoadID = Int

    /// How many earlier loads are kept beside the newest; the oldest of more are cancelled.
    static let keptCountMax = 3

    /// What is loading.
    struct Entry: Sendable {
        let id: LoadID
        let request: ImageRequest
    }

    /// What has to be done to begin a load.
    enum Beginning: Equatable {
        /// Nothing: the same is loading for the same target.
        case continues(LoadID)
        /// Start it, and cancel these.
        case starts(LoadID, cancelled: [LoadID])
    }

    /// The loads that may still show something, oldest first; only those that a newer one was told to keep
    /// stand before the last.
    private(set) var entries: [Entry] = []

    private var lastID = 0

    /// The load that began last, if it has not ended.
    var newest: Entry? { entries.last }

    /// Adds a load, unless it is the same as the newest.
    ///
    /// - Parameters:
    ///   - request: What is to be loaded; one that differs only in its priority is the same.
    ///   - replacing: What becomes of earlier loads.
    ///   - same: The load that is for the same target, if there is one.
    /// - Returns: What has to be done.
    mutating func begin(
        _ request: ImageRequest,
        replacing: SlotReplacing,
        ofSameTarget same: LoadID?
    ) -> Beginning {
        if replacing != .restart, let newest, newest.id == same, newest.request.isSame(as: request) {
            return .continues(newest.id)
        }
        let cancelled = replacing == .afterResult ? endOldest() : end()
        lastID += 1
        entries.append(Entry(id: lastID, request: request))
        return .starts(lastID, cancelled: cancelled)
    }

    /// Whether a load may show a result.
    func isCurrent(_ id: LoadID) -> Bool { entries.contains { $0.id == id } }

    /// Whether a load may show what is not a result: only the newest, so that an older one that was kept
    /// never draws over it.
    func isNewest(_ id: LoadID) -> Bool { newest?.id == id }

    /// Ends a load with its result and gives those before it, which may show nothing any more.
    mutating func finish(_ id: LoadID) -> [LoadID] {
        let late = entries.filter { $0.id < id }.map(\.id)
        entries.removeAll { $0.id <= id }
        return late
    }

    /// Ends one load without a result; those that were kept beside it go on.
    mutating func fail(_ id: LoadID) {
        entries.removeAll { $0.id == id }
    }

    /// Makes room for one more beside those that are kept, and gives the loads that had to go.
    private mutating func endOldest() -> [LoadID] {
        let late = entries.dropLast(Self.keptCountMax).map(\.id)
        entries.removeFirst(late.count)
        return late
    }

    /// Ends all loads and gives them.
    mutating func end() -> [LoadID] {
        defer { entries = [] }
        return entries.map(\.id)
    }
}

extension ImageRequest {
    /// Whether two requests differ in nothing but how urgent they are.
    fileprivate func isSame(as other: ImageRequest) -> Bool {
        var other = other
        other.priority = priority
        return self == other
    }
}
