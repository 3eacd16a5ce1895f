import Calotype
import CalotypeCodecs
package import FoundationEssentials

/// Statistics for the console, as one JSON object.
package struct StatusDocument: Hashable, Sendable, Encodable {
    struct Tier: Hashable, Sendable, Encodable {
        let name: String
        let hits: Int
        let stale: Int
        let misses: Int
    }

    struct Latency: Hashable, Sendable, Encodable {
        let cache: String
        let count: Int
        let mean: Double
        let p50: Double?
        let p99: Double?
        let counts: [Int]
    }

    struct Level: Hashable, Sendable, Encodable {
        let name: String
        let value: Int
        let limit: Int?
    }

    struct Workers: Hashable, Sendable, Encodable {
        let running: Int
        let busy: Int
        let started: Int
        let jobs: Int
        let replaced: [String: Int]
    }

    struct Source: Hashable, Sendable, Encodable {
        let source: String
        let count: Int
        let excess: Int
        let bytes: Int
        let misses: Int
        let longest: Double
    }

    struct Slow: Hashable, Sendable, Encodable {
        let source: String
        let duration: Double
        let steps: [String: Double]
    }

    struct Failure: Hashable, Sendable, Encodable {
        let time: String
        let status: Int
        let code: String
        let detail: String?
        let source: String?
        let request: String?
        let method: String?
        let path: String?
    }

    let version: String
    let uptime: Double
    let ready: Bool
    let requests: Int
    let bytes: Int
    let statuses: [String: Int]
    let errors: [String: Int]
    let tiers: [Tier]
    let latencies: [Latency]
    let latencyLimits: [Double]
    let levels: [Level]
    let running: Int
    let runningLimit: Int?
    let waiting: Int
    let waitingLimit: Int?
    let fetches: Int
    let started: Int
    let ended: Int
    let decodes: Int
    let workers: Workers?
    let frequent: [Source]
    let slowest: [Slow]
    let failures: [Failure]

    package init(_ statistics: StatisticsSnapshot, _ readings: ServiceReadings) {
        version = readings.version
        uptime = readings.uptime.seconds
        ready = readings.isReady
        requests = statistics.requestCount
        bytes = statistics.byteCount
        statuses = Dictionary(uniqueKeysWithValues: statistics.statusCounts.map { ("\($0.key)", $0.value) })
        errors = statistics.errorCounts
        tiers = ServiceStatistics.Tier.allCases.compactMap { Tier($0, statistics) }
        latencies = Latency.all(of: statistics)
        latencyLimits = LatencyHistogram.limits
        levels = Level.all(of: readings)
        running = readings.load.runningCount
        runningLimit = readings.load.maxRunningCount
        waiting = readings.load.waitingCount
        waitingLimit = readings.load.maxWaitingCount
        fetches = readings.fetchCount
        started = readings.load.startedCount
        ended = readings.load.endedCount
        decodes = readings.load.decodeCount
        workers = readings.workers.map(Workers.init)
        frequent = statistics.sources.mostFrequent(20).map(Source.init)
        slowest = statistics.slowest.entries.map(Slow.init)
        failures = statistics.failures.reversed().map(Failure.init)
    }

    /// Returns the JSON, with members in alphabetical order.
    ///
    /// - Throws: `EncodingError`, which cannot occur for these members.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

extension StatusDocument.Tier {
    fileprivate init?(_ tier: ServiceStatistics.Tier, _ statistics: StatisticsSnapshot) {
        let counts = StatisticsSnapshot.Outcome.allCases.map { statistics.count(tier, $0) }
        guard statistics.tiers.contains(tier) || counts.contains(where: { $0 > 0 }) else { return nil }
        self.init(
            name: tier.rawValue,
            hits: statistics.count(tier, .hit),
            stale: statistics.count(tier, .stale),
            misses: statistics.count(tier, .miss)
        )
    }
}

extension StatusDocument.Latency {
    fileprivate static func all(of statistics: StatisticsSnapshot) -> [Self] {
        statistics.latencies.map { cache, histogram in
            Self(
                cache: cache?.rawValue ?? "none",
                count: histogram.count,
                mean: histogram.sum / Double(max(1, histogram.count)),
                p50: histogram.quantile(0.5).flatMap { $0.isFinite ? $0 : nil },
                p99: histogram.quantile(0.99).flatMap { $0.isFinite ? $0 : nil },
                counts: histogram.counts
            )
        }.sorted { $0.cache < $1.cache }
    }
}

extension StatusDocument.Level {
    fileprivate static func all(of readings: ServiceReadings) -> [Self] {
        let disks = readings.disks.sorted { $0.key < $1.key }.map { name, level in
            Self(name: readings.disks.count == 1 ? "disk" : name, value: level.value, limit: level.limit)
        }
        let work = readings.load
        return [Self(name: "memory", value: readings.memory.value, limit: readings.memory.limit)] + disks + [
            Self(
                name: "work",
                value: work.heldByteCount,
                limit: work.maxByteCount
            ),
            Self(name: "connections", value: readings.connections.value, limit: readings.connections.limit),
        ]
    }
}

extension StatusDocument.Workers {
    fileprivate init(_ workers: CodecWorkerStatistics) {
        self.init(
            running: workers.processCount,
            busy: workers.busyCount,
            started: workers.startedCount,
            jobs: workers.jobCount,
            replaced: workers.replacedCounts
        )
    }
}

extension StatusDocument.Source {
    fileprivate init(_ entry: TopSources.Entry) {
        self.init(
            source: entry.source,
            count: entry.count,
            excess: entry.excess,
            bytes: entry.byteCount,
            misses: entry.missCount,
            longest: entry.longest.seconds
        )
    }
}

extension StatusDocument.Slow {
    fileprivate init(_ entry: SlowestSources.Entry) {
        let steps = entry.timings.named.map { ($0.name, $0.duration.seconds) }
        self.init(
            source: entry.source,
            duration: entry.duration.seconds,
            steps: Dictionary(uniqueKeysWithValues: steps)
        )
    }
}

extension StatusDocument.Failure {
    fileprivate init(_ failure: StatisticsSnapshot.Failure) {
        let record = failure.record
        self.init(
            time: "\(failure.time)",
            status: record.status,
            code: record.errorCode ?? "",
            detail: record.errorDetail,
            source: record.source,
            request: record.requestID,
            method: record.method,
            path: record.path
        )
    }
}
