import CalotypeCache
import Foundation
import TestMaterial

/// How many requests of recorded traces find what they ask for, in percent of all.
enum HitRatioRows {
    static let all = Rival.allCases.flatMap { rival in
        TraceLibrary.names.flatMap { name in [1, 10].map { row(name, percent: $0, rival) } }
    }

    /// Policies that the memory cache's default policy is compared with.
    private enum Rival: String, CaseIterable {
        /// Three queues with credit for what is small: what the default is to keep up with.
        case s3fifo
        case lru
        case nscache
        /// The best there could be, where all objects have one size.
        case belady

        /// A point of a hundred is what the choice between two policies may cost.
        var target: Target {
            switch self {
            case .s3fifo, .lru: .differenceAtLeast(-0.5)
            case .nscache, .belady: .none
            }
        }

        func hitRatio(_ trace: CacheTrace, capacity: Int) throws -> Double {
            switch self {
            case .s3fifo: return trace.hitRatios(capacity: capacity, policy: .s3fifo).object
            case .lru: return trace.hitRatios(capacity: capacity, policy: .lru).object
            case .nscache: return try trace.foundationHitRatio(capacity: capacity)
            case .belady:
                guard let ratios = trace.beladyHitRatios(capacity: capacity) else {
                    throw Skipped("the objects of the trace differ in size")
                }
                return ratios.object
            }
        }
    }

    private static func row(_ name: String, percent: Int, _ rival: Rival) -> Row {
        Row(
            "hit-ratio-\(rival.rawValue)-\(name)-\(percent)",
            "requests found, memory for \(percent) % of \(name); \(rival.rawValue)",
            counted: .percent,
            rival.target
        ) {
            let trace = try await TraceLibrary.shared.trace(name)
            let capacity = max(1, trace.footprint * percent / 100)
            let baseline = try rival.hitRatio(trace, capacity: capacity) * 100
            let ours = await TraceLibrary.shared.ours(name, trace, capacity: capacity) * 100
            return Figures(ours: ours, baseline: baseline)
        }
    }
}

/// The traces beside the package, each read once.
private actor TraceLibrary {
    static let shared = TraceLibrary()

    static let names: [String] = {
        guard let folder else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".ctr.xz") }.map { String($0.dropLast(7)) }.sorted()
        } catch {
            return []
        }
    }()

    private static let folder = SharedCorpus.root?.appending(path: "traces")

    private var traces: [String: CacheTrace] = [:]
    private var ratios: [String: Double] = [:]

    func trace(_ name: String) throws -> CacheTrace {
        if let trace = traces[name] { return trace }
        guard let path = Self.folder?.appending(path: name + ".ctr.xz").path,
            let trace = CacheTrace.read(atPath: path)
        else { throw Skipped("the trace cannot be read, or xz is missing") }
        traces[name] = trace
        return trace
    }

    /// The hit ratio of the memory cache as it comes.
    func ours(_ name: String, _ trace: CacheTrace, capacity: Int) -> Double {
        let key = "\(name) \(capacity)"
        if let ratio = ratios[key] { return ratio }
        let ratio = trace.hitRatios(capacity: capacity, policy: .default).object
        ratios[key] = ratio
        return ratio
    }
}

extension CacheTrace {
    private final class Value: Sendable {}

    /// The share of requests that `NSCache` finds.
    ///
    /// It keeps its entries sorted by cost in a list that each insertion walks, so a replay with many entries
    /// would take minutes.
    fileprivate func foundationHitRatio(capacity: Int) throws -> Double {
        let meanSize = max(1, footprint / max(1, sizes.count))
        guard capacity / meanSize * requests.count < 10_000_000_000 else {
            throw Skipped("NSCache takes minutes for so many entries")
        }
        let cache = NSCache<NSNumber, Value>()
        cache.totalCostLimit = capacity
        let value = Value()
        let keys = sizes.indices.map { NSNumber(value: $0) }
        var hitCount = 0
        for key in requests {
            if cache.object(forKey: keys[key]) != nil {
                hitCount += 1
            } else {
                cache.setObject(value, forKey: keys[key], cost: sizes[key])
            }
        }
        return Double(hitCount) / Double(max(1, requests.count))
    }
}
