/// Work whose allocations or system calls are counted: by `Counts`, which alone counts, and told by `Bench`.
public enum CountedWork: String, CaseIterable, Sendable {
    case memoryHitAllocations = "count-memory-hit"
    case residentImageAllocations = "count-resident-image"
    case pipelineHitAllocations = "count-pipeline-hit"
    case diskHitAllocations = "count-disk-hit"
    case diskHitBuffers = "count-disk-hit-buffers"
    case diskHitCalls = "count-disk-hit-calls"
    case diskMissCalls = "count-disk-miss-calls"
    case diskStoreCalls = "count-disk-store-calls"

    /// The counted quantity, for one piece of the work.
    public var title: String {
        switch self {
        case .memoryHitAllocations: "allocations of a memory hit, key prepared"
        case .residentImageAllocations: "allocations of residentImage(for:)"
        case .pipelineHitAllocations: "allocations of a memory hit, await image(for:)"
        case .diskHitAllocations: "allocations of a disk hit, 20 kB"
        case .diskHitBuffers: "allocations of a disk hit that could hold its 20 kB"
        case .diskHitCalls: "system calls of a disk hit, 20 kB"
        case .diskMissCalls: "system calls of a disk miss"
        case .diskStoreCalls: "system calls of a disk store, 20 kB"
        }
    }

    /// The most there may be; `nil` where the figure is only told.
    public var maxCount: Double? {
        switch self {
        case .memoryHitAllocations, .residentImageAllocations, .pipelineHitAllocations: 0
        case .diskHitBuffers, .diskMissCalls: 1
        case .diskHitCalls: 4
        case .diskHitAllocations, .diskStoreCalls: nil
        }
    }

    /// Whether a figure is within the limit.
    ///
    /// Figures are means over thousands. The disk cache looks after its directory by the clock, which under a
    /// tracer comes to a few calls in a hundred.
    public func isMet(by figure: Double) -> Bool {
        let upkeep =
            switch self {
            case .diskHitCalls, .diskMissCalls, .diskStoreCalls: 0.05
            default: 0.005
            }
        return maxCount.map { figure < $0 + upkeep } ?? true
    }
}
