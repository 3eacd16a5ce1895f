public import Calotype
import CalotypeSupport

/// Counts pipeline events beyond responses, and reports when stores begin to fail and recover.
public final class PipelineMonitor: PipelineObserver {
    /// A change of a store's state.
    public enum Change: Hashable, Sendable {
        /// The first failure since the store worked.
        case fails(operation: String, reason: String)
        /// The store has succeeded often enough since its last failure to count as recovered.
        case works(operation: String)
    }

    /// The counts at one moment.
    public struct Counts: Hashable, Sendable {
        /// Failures of stores by operation: `read`, `write`, and `busy` for results that were not stored
        /// since too many writes were pending.
        public var storeFailures: [String: Int] = [:]
        /// Requests to origins by outcome, `loaded` or `failed`, including background loads.
        public var sourceLoads: [String: Int] = [:]
    }

    private struct State {
        var counts = Counts()
        /// The failing operations, with the number of successes in a row since.
        var failing: [String: Int] = [:]
    }

    /// A nearly full disk accepts small results and rejects others.
    private static let recoveryCount = 20

    private let state = Guarded(State())
    private let onChange: @Sendable (Change) -> Void

    /// Creates a watch.
    ///
    /// - Parameter onChange: Called once when an operation of the stores begins to fail, and once when it
    ///   recovers, after 20 successes in a row; on the task that detects the change.
    public init(onChange: @escaping @Sendable (Change) -> Void = { _ in }) {
        self.onChange = onChange
    }

    /// The current counts.
    public var counts: Counts { state.withLock(\.counts) }

    /// Counts a load from an origin, and records successes of a store.
    public func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {
        if stage == .load {
            let name = outcome.failure == nil ? "loaded" : "failed"
            return state.withLock { $0.counts.sourceLoads[name, default: 0] += 1 }
        }
        guard let operation = Self.operation(stage), outcome.failure == nil, outcome.storeFailureCount == 0
        else { return }
        let hasRecovered = state.withLock { state in
            guard let count = state.failing[operation] else { return false }
            state.failing[operation] = count + 1 < Self.recoveryCount ? count + 1 : nil
            return state.failing[operation] == nil
        }
        if hasRecovered { onChange(.works(operation: operation)) }
    }

    /// Counts a failure of a store.
    public func didFailToStore(_ request: ImageRequest, error: LoadError) {
        guard let operation = Self.operation(error.stage) else { return }
        // Too many pending writes mean a slow disk, not a failing one.
        let isBusy = error.codeLabel == "storeBusy"
        let isNew = state.withLock { state in
            state.counts.storeFailures[isBusy ? "busy" : operation, default: 0] += 1
            return !isBusy && state.failing.updateValue(0, forKey: operation) == nil
        }
        if isNew { onChange(.fails(operation: operation, reason: "\(error.underlying)")) }
    }

    private static func operation(_ stage: LoadError.Stage) -> String? {
        switch stage {
        case .cache: "read"
        case .store: "write"
        default: nil
        }
    }
}
