import CalotypeCodecs
import CalotypeCore

/// The pools of all kinds; common workers start ahead, the others on demand.
struct WorkerPools: Sendable {
    let common: WorkerPool
    private let others: [WorkerKind: WorkerPool]
    private let memory: WorkerMemoryLimit

    init(_ configuration: CodecWorkers.Configuration) {
        let memory = WorkerMemoryLimit(maxByteCount: configuration.maxTotalMemoryByteCount)
        self.memory = memory
        common = WorkerPool(configuration, .common, memory)
        let kinds = WorkerKind.allCases.filter { $0 != .common }
        others = Dictionary(uniqueKeysWithValues: kinds.map { ($0, WorkerPool(configuration, $0, memory)) })
    }

    subscript(kind: WorkerKind) -> WorkerPool { others[kind] ?? common }

    /// The pool for a codec of several formats: their common kind, or `common` if the kinds differ.
    subscript(formats: [ImageFormat]) -> WorkerPool {
        let kinds = Set(formats.map { WorkerKind($0) })
        return kinds.count == 1 ? kinds.first.map { self[$0] } ?? common : common
    }

    var idleProcessIDs: [Int32] { common.idleProcessIDs + others.values.flatMap(\.idleProcessIDs) }

    var statistics: CodecWorkerStatistics {
        var sum = others.values.reduce(common.statistics) { $0 + $1.statistics }
        sum.memoryByteCount = memory.byteCount
        return sum
    }
}
