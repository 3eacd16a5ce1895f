public import CalotypeCore
import CalotypeSupport

/// Counts the answers of a service, for metrics and the console.
///
/// What it keeps is bounded, whatever is asked for; an answer costs one lock and some hundred nanoseconds.
public final class ServiceStatistics: ServiceObserver {
    private let state: Guarded<StatisticsSnapshot>
    private let timeSource: any TimeSource
    private let next: (any ServiceObserver)?

    /// Creates statistics of nothing.
    ///
    /// - Parameters:
    ///   - tiers: Where what is not in memory has been looked for; on disk unless given.
    ///   - timeSource: Where the times of errors come from.
    ///   - next: Is told the same records afterwards, such as what logs them; nobody unless given.
    public init(
        tiers: Set<StatisticsSnapshot.Tier> = [.memory, .disk],
        timeSource: any TimeSource = SystemTimeSource(),
        then next: (any ServiceObserver)? = nil
    ) {
        state = Guarded(StatisticsSnapshot(tiers: tiers))
        self.timeSource = timeSource
        self.next = next
    }

    /// Counts an answer.
    public func answered(_ record: ServiceRecord) {
        let time = record.errorCode == nil ? nil : timeSource.now()
        state.withLock { $0.add(record, at: time) }
        next?.answered(record)
    }

    /// What has been counted so far, in one consistent reading.
    public var snapshot: StatisticsSnapshot { state.withLock(\.self) }
}

/// What ``ServiceStatistics`` has counted up to a moment.
public struct StatisticsSnapshot: Sendable {
    /// Sources that are counted at once.
    static let sourceCountMax = 200
    /// Sources in the table of the slowest.
    static let slowestCountMax = 20
    /// Errors that are kept; those of clients that have left are none.
    static let errorCountMax = 50
    /// Words for errors that are told apart.
    static let errorCodeCountMax = 100

    /// A tier that may have what is asked for.
    public enum Tier: String, Hashable, Sendable, CaseIterable {
        /// Encoded results in memory.
        case memory
        /// Originals and results on disk.
        case disk
        /// Stores that several nodes share.
        case shared
    }

    /// How a lookup in a tier ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It was there.
        case hit
        /// It was not there.
        case miss
        /// It was there, past its time, and was used.
        case stale
    }

    /// A tier and how a lookup in it ended.
    public struct Lookup: Hashable, Sendable {
        /// The tier.
        public var tier: Tier
        /// How the lookup ended.
        public var outcome: Outcome
    }

    /// An answer that was an error.
    public struct Failure: Sendable {
        /// When it was given.
        public var time: Timestamp
        /// Its record.
        public var record: ServiceRecord
    }

    /// Answers by their status.
    public private(set) var statusCounts: [Int: Int] = [:]
    /// Lookups by tier and outcome.
    public private(set) var lookups: [Lookup: Int] = [:]
    /// How long answers took, by where they came from; `nil` for those that no tier was asked for.
    public private(set) var latencies: [CacheOutcome?: LatencyHistogram] = [:]
    /// How long the steps took, of each piece of work once.
    public private(set) var steps: [String: LatencyHistogram] = [:]
    /// Bytes of bodies.
    public private(set) var byteCount = 0
    /// Errors by their words; beyond a hundred words all others are `other`.
    public private(set) var errorCounts: [String: Int] = [:]
    /// The most frequent sources.
    public private(set) var sources = SourceTable(countMax: sourceCountMax)
    /// The sources with the longest answers.
    public private(set) var slowest = SlowestSources(countMax: slowestCountMax)
    /// The last errors, the latest last; at most 50.
    public private(set) var failures: [Failure] = []

    /// Where is looked.
    public let tiers: Set<Tier>

    init(tiers: Set<Tier>) {
        self.tiers = tiers
    }

    /// All answers.
    public var requestCount: Int { statusCounts.values.reduce(0, +) }

    /// The part of the lookups in a tier that found something; `nil` where there was none.
    public func hitRatio(of tier: Tier) -> Double? {
        let all = Outcome.allCases.reduce(0) { $0 + count(tier, $1) }
        return all == 0 ? nil : Double(all - count(tier, .miss)) / Double(all)
    }

    /// How many lookups in a tier ended so.
    public func count(_ tier: Tier, _ outcome: Outcome) -> Int {
        lookups[Lookup(tier: tier, outcome: outcome), default: 0]
    }

    mutating func add(_ record: ServiceRecord, at time: Timestamp?) {
        statusCounts[record.status, default: 0] += 1
        byteCount += record.byteCount
        latencies[record.cache, default: LatencyHistogram()].add(record.duration)
        if !record.sharesWork { add(record.timings) }
        if let cache = record.cache { add(cache) }
        if let source = record.source {
            sources.add(source, record)
            slowest.add(source, record)
        }
        guard let code = record.errorCode, let time else { return }
        let isTold = errorCounts[code] != nil || errorCounts.count < Self.errorCodeCountMax
        errorCounts[isTold ? code : "other", default: 0] += 1
        if failures.count == Self.errorCountMax { failures.removeFirst() }
        failures.append(Failure(time: time, record: record))
    }

    private mutating func add(_ timings: ServiceTimings) {
        for (name, duration) in timings.named {
            steps[name, default: LatencyHistogram()].add(duration)
        }
    }

    /// A lookup in each tier down to the one that had it.
    private mutating func add(_ cache: CacheOutcome) {
        func note(_ tier: Tier, _ outcome: Outcome) {
            guard tiers.contains(tier) || outcome != .miss else { return }
            lookups[Lookup(tier: tier, outcome: outcome), default: 0] += 1
        }
        guard cache != .memory else { return note(.memory, .hit) }
        note(.memory, .miss)
        switch cache {
        case .memory: break
        case .disk, .revalidated: note(.disk, .hit)
        case .stale: note(.disk, .stale)
        case .shared:
            note(.disk, .miss)
            note(.shared, .hit)
        case .miss:
            note(.disk, .miss)
            note(.shared, .miss)
        }
    }
}

extension ServiceTimings {
    /// The steps that there were, in the order in which they happen.
    public var named: [(name: String, duration: Duration)] {
        let steps: [(String, Duration?)] = [
            ("queue", queue), ("fetch", fetch), ("decode", decode), ("transform", transform),
            ("encode", encode),
        ]
        return steps.compactMap { name, duration in duration.map { (name, $0) } }
    }
}
