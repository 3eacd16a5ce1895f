import Calotype
public import CalotypeCore
import CalotypeSupport

/// Counters of responses, for metrics and the console.
///
/// Memory is bounded, whatever is requested; a response costs one lock and some hundred nanoseconds.
public final class ServiceStatistics: ServiceObserver {
    /// A cache tier.
    public enum Tier: String, Hashable, Sendable, CaseIterable {
        /// Encoded results in memory.
        case memory
        /// Originals and results on disk.
        case disk
    }

    private let state: Guarded<StatisticsSnapshot>
    private let timeSource: any TimeSource
    private let next: (any ServiceObserver)?

    /// Creates empty statistics.
    ///
    /// - Parameters:
    ///   - tiers: The tiers that are looked up; memory and disk unless given.
    ///   - timeSource: The clock for the times of errors.
    ///   - next: An observer that receives the same records afterwards, such as a logger; none unless given.
    public init(
        tiers: Set<Tier> = [.memory, .disk],
        timeSource: any TimeSource = SystemTimeSource(),
        then next: (any ServiceObserver)? = nil
    ) {
        state = Guarded(StatisticsSnapshot(tiers: tiers))
        self.timeSource = timeSource
        self.next = next
    }

    /// Counts a response.
    public func didRespond(_ record: ServiceRecord) {
        let time = record.errorCode == nil ? nil : timeSource.now()
        state.withLock { $0.add(record, at: time) }
        next?.didRespond(record)
    }

    /// A consistent snapshot of the counters.
    package var snapshot: StatisticsSnapshot { state.withLock(\.self) }

    /// Returns the counters and readings in the text format of Prometheus, whose media type is `text/plain;
    /// version=0.0.4`.
    ///
    /// - Parameter readings: The readings of the service, from ``ImageService/readings``.
    /// - Returns: The text.
    public func prometheusText(_ readings: ServiceReadings) -> String {
        PrometheusText.text(snapshot, readings)
    }
}

/// The counters of ``ServiceStatistics`` at one moment.
package struct StatisticsSnapshot: Sendable {
    static let maxSourceCount = 200
    /// The maximum number of slowest sources.
    static let maxSlowestCount = 20
    /// The maximum number of recorded errors; disconnected clients are not recorded.
    static let maxErrorCount = 50
    static let maxErrorCodeCount = 100

    /// The outcome of a lookup in a tier.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case hit
        case miss
        /// A stale entry was found and used.
        case stale
    }

    /// A tier and the outcome of a lookup.
    package struct Lookup: Hashable, Sendable {
        package var tier: ServiceStatistics.Tier
        package var outcome: Outcome
    }

    /// A response that was an error.
    package struct Failure: Sendable {
        package var time: Timestamp
        package var record: ServiceRecord
    }

    package private(set) var statusCounts: [Int: Int] = [:]
    /// The number of lookups by tier and outcome.
    package private(set) var lookups: [Lookup: Int] = [:]
    /// The durations of responses, by origin; `nil` for responses without a lookup.
    package private(set) var latencies: [CacheOutcome?: LatencyHistogram] = [:]
    /// The durations of the steps, counted once for shared work.
    package private(set) var steps: [String: LatencyHistogram] = [:]
    package private(set) var byteCount = 0
    /// The number of errors by code; beyond a hundred codes, others are counted as `other`.
    package private(set) var errorCounts: [String: Int] = [:]
    /// The most frequent sources.
    package private(set) var sources = TopSources(maxCount: maxSourceCount)
    /// The sources with the longest responses.
    package private(set) var slowest = SlowestSources(maxCount: maxSlowestCount)
    /// The last errors, the latest last; at most 50.
    package private(set) var failures: [Failure] = []

    /// The tiers that are looked up.
    package let tiers: Set<ServiceStatistics.Tier>

    /// The number of all responses.
    package var requestCount: Int { statusCounts.values.reduce(0, +) }

    /// Returns the fraction of lookups in a tier that found an entry; `nil` without lookups.
    package func hitRatio(of tier: ServiceStatistics.Tier) -> Double? {
        let all = Outcome.allCases.reduce(0) { $0 + count(tier, $1) }
        return all == 0 ? nil : Double(all - count(tier, .miss)) / Double(all)
    }

    package func count(_ tier: ServiceStatistics.Tier, _ outcome: Outcome) -> Int {
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
        let isTold = errorCounts[code] != nil || errorCounts.count < Self.maxErrorCodeCount
        errorCounts[isTold ? code : "other", default: 0] += 1
        if failures.count == Self.maxErrorCount { failures.removeFirst() }
        failures.append(Failure(time: time, record: record))
    }

    private mutating func add(_ timings: StageTimings) {
        for (name, duration) in timings.named {
            steps[name, default: LatencyHistogram()].add(duration)
        }
    }

    /// Counts a lookup in each tier, down to the one with the entry.
    private mutating func add(_ cache: CacheOutcome) {
        func note(_ tier: ServiceStatistics.Tier, _ outcome: Outcome) {
            guard tiers.contains(tier) || outcome != .miss else { return }
            lookups[Lookup(tier: tier, outcome: outcome), default: 0] += 1
        }
        guard cache != .memory else { return note(.memory, .hit) }
        note(.memory, .miss)
        switch cache {
        case .memory: break
        case .disk, .revalidated: note(.disk, .hit)
        case .stale: note(.disk, .stale)
        case .miss: note(.disk, .miss)
        }
    }
}
