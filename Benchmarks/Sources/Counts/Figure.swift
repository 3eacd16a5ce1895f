import CCountedMemory
import CountedWork

/// The count for one piece of work.
struct Figure {
    let value: Double
    /// Which system calls it consists of.
    private(set) var calls: String?

    init(_ work: CountedWork) async throws {
        switch work {
        case .memoryHitAllocations, .residentImageAllocations, .pipelineHitAllocations, .diskHitAllocations:
            value = try await Self.allocations(work) { $0.all }
        case .diskHitBuffers:
            value = try await Self.allocations(work) { $0.large }
        case .diskHitCalls, .diskMissCalls, .diskStoreCalls:
            let counts = try SystemCalls.counts(of: work)
            value = counts.values.reduce(0, +)
            calls = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
                .map { "\($0.key) \(Counts.text($0.value))" }.joined(separator: ", ")
        }
    }

    /// The least of several turns: what other threads do meanwhile happens in some, what the work does in
    /// all.
    private static func allocations(
        _ work: CountedWork,
        _ counted: (ccm_counts) -> UInt64
    ) async throws -> Double {
        let (body, count) = (try await work.body(), 10_000)
        try await body(count)
        var least = Double.infinity
        for _ in 0..<5 {
            ccm_reset(work.byteCount)
            try await body(count)
            least = min(least, Double(counted(ccm_read())) / Double(count))
        }
        return least
    }
}
