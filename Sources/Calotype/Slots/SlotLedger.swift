/// The loads of a slot that may still show something; pure, driven by ``ImageSlot``.
///
/// A load that is not in the ledger was replaced, was cancelled or has ended: its further events are dropped.
struct SlotLedger: Sendable {
    typealias LoadID = Int

    /// The maximum number of earlier loads beside the newest; the oldest above it are cancelled.
    static let maxKeptCount = 3

    struct Entry: Sendable {
        let id: LoadID
        let request: ImageRequest
    }

    /// The action to begin a load.
    enum Beginning: Equatable {
        /// None: the same request is loading for the same target.
        case continues(LoadID)
        case starts(LoadID, cancelled: [LoadID])
    }

    /// The loads that may still show something, oldest first; those before the last were kept by a newer one.
    private(set) var entries: [Entry] = []

    private var lastID = 0

    /// The most recent load, if it has not ended.
    var newest: Entry? { entries.last }

    /// Adds a load, unless it is the same as the newest.
    ///
    /// - Parameters:
    ///   - request: The request; one that differs only in its priority is the same.
    ///   - replacing: The effect on earlier loads.
    ///   - same: The load for the same target, if there is one.
    /// - Returns: The action to take.
    mutating func begin(
        _ request: ImageRequest,
        replacing: SlotReplacement,
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

    /// True if a load may show a result.
    func isCurrent(_ id: LoadID) -> Bool { entries.contains { $0.id == id } }

    /// True if a load may show other content than a result: only the newest, so that an older one never draws
    /// over it.
    func isNewest(_ id: LoadID) -> Bool { newest?.id == id }

    /// Ends a load with its result, and returns those before it, which may show nothing any more.
    mutating func finish(_ id: LoadID) -> [LoadID] {
        let late = entries.filter { $0.id < id }.map(\.id)
        entries.removeAll { $0.id <= id }
        return late
    }

    /// Ends one load without a result; those kept beside it continue.
    mutating func fail(_ id: LoadID) {
        entries.removeAll { $0.id == id }
    }

    /// Ends the oldest loads so that one more can be kept, and returns them.
    private mutating func endOldest() -> [LoadID] {
        let late = entries.dropLast(Self.maxKeptCount).map(\.id)
        entries.removeFirst(late.count)
        return late
    }

    mutating func end() -> [LoadID] {
        defer { entries = [] }
        return entries.map(\.id)
    }
}

extension ImageRequest {
    /// True if two requests differ only in their priority.
    fileprivate func isSame(as other: ImageRequest) -> Bool {
        var other = other
        other.priority = priority
        return self == other
    }
}
