/// What is measured and against what, and what is to be reached.
struct Row: Sendable {
    /// What the row is asked for by.
    let name: String

    /// What is done once, and what it is compared with.
    let title: String

    let unit: Unit
    let target: Target

    /// Makes what the row works on, and both sides; called once, before anything is timed.
    let prepare: @Sendable () async throws -> Contest
}

/// What a figure counts.
enum Unit: String, Sendable {
    case nanoseconds = "ns"
    case microseconds = "µs"
    case milliseconds = "ms"

    /// A time in the unit.
    func value(of duration: Duration) -> Double {
        switch self {
        case .nanoseconds: duration / .nanoseconds(1)
        case .microseconds: duration / .microseconds(1)
        case .milliseconds: duration / .milliseconds(1)
        }
    }
}

/// What is to be reached.
enum Target: Sendable {
    /// The time divided by that of the baseline.
    case ratioAtMost(Double)
    /// How much longer than the baseline it takes.
    case differenceAtMost(Duration)

    var text: String {
        switch self {
        case .ratioAtMost(let ratio): "≤ \(ratio.formatted(digits: 2)) ×"
        case .differenceAtMost(let duration): "≤ +\(duration / .microseconds(1)) µs"
        }
    }

    func isMet(by outcome: Outcome) -> Bool {
        switch self {
        case .ratioAtMost(let ratio): outcome.ratio <= ratio
        case .differenceAtMost(let duration): outcome.ours - outcome.baseline <= duration
        }
    }
}

/// Does the same thing a number of times.
typealias Work = @Sendable (_ count: Int) async throws -> Void

/// The two sides of a row, over the same material.
struct Contest: Sendable {
    let ours: Work
    let baseline: Work
}

/// What one thing took on each side.
struct Outcome: Sendable {
    /// Medians over all rounds.
    let ours: Duration
    let baseline: Duration
    /// The median of the ratios of each round, ours to the baseline.
    let ratio: Double
    /// How far the middle half of these ratios reaches, as a part of their median.
    let spread: Double
    let roundCount: Int
}
