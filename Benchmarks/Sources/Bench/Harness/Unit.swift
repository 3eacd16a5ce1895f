/// The unit of a figure.
enum Unit: String, Sendable {
    case nanoseconds = "ns"
    case microseconds = "µs"
    case milliseconds = "ms"
    /// Things done in a second, a thousand of them.
    case thousandsPerSecond = "k/s"
    case perSecond = "/s"
    case percent = "%"
    case bytes = "B"
    case megabytes = "MB"
    /// Calls, allocations, times.
    case count = "×"

    /// Converts the duration of one operation to the unit, which must be one of time or speed.
    func value(of duration: Duration) -> Double {
        switch self {
        case .nanoseconds: duration / .nanoseconds(1)
        case .microseconds: duration / .microseconds(1)
        case .milliseconds: duration / .milliseconds(1)
        case .thousandsPerSecond: .milliseconds(1) / duration
        case .perSecond: .seconds(1) / duration
        case .percent, .bytes, .megabytes, .count: preconditionFailure("\(self) is counted, not timed")
        }
    }
}

/// The value to reach; figures are in the unit of the row.
enum Target: Sendable {
    /// Told for comparison only.
    case none
    /// Ours divided by the baseline.
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
    /// Ours less the baseline.
    case differenceAtMost(Double)
    case differenceAtLeast(Double)
    case valueAtMost(Double)
    case valueAtLeast(Double)

    func text(_ unit: Unit) -> String {
        switch self {
        case .none: "–"
        case .ratioAtMost(let ratio): "≤ \(ratio.plain) ×"
        case .ratioAtLeast(let ratio): "≥ \(ratio.plain) ×"
        case .differenceAtMost(let difference): "≤ \(difference.signed) \(unit.rawValue)"
        case .differenceAtLeast(let difference): "≥ \(difference.signed) \(unit.rawValue)"
        case .valueAtMost(let value): "≤ \(value.plain) \(unit.rawValue)"
        case .valueAtLeast(let value): "≥ \(value.plain) \(unit.rawValue)"
        }
    }

    /// Whether an outcome is good enough; a target against a baseline that is missing is not met.
    func isMet(by outcome: Outcome) -> Bool {
        switch self {
        case .none: true
        case .ratioAtMost(let ratio): outcome.ratio.map { $0 <= ratio } ?? false
        case .ratioAtLeast(let ratio): outcome.ratio.map { $0 >= ratio } ?? false
        case .differenceAtMost(let difference): outcome.difference.map { $0 <= difference } ?? false
        case .differenceAtLeast(let difference): outcome.difference.map { $0 >= difference } ?? false
        case .valueAtMost(let value): outcome.ours <= value
        case .valueAtLeast(let value): outcome.ours >= value
        }
    }
}
