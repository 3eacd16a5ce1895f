public import Calotype
import CalotypeSupport

/// Counts what a pipeline does beside its answers, and tells when its stores begin to fail and work again.
public final class PipelineWatch: PipelineObserver {
    /// A store as it is now.
    public enum Change: Hashable, Sendable {
        /// Its first failure since it worked.
        case fails(operation: String, reason: String)
        /// It has succeeded so often in a row since it failed that it counts as well.
        case works(operation: String)
    }

    /// The counts of a moment.
    public struct Counts: Hashable, Sendable {
        /// Failures of stores by operation: `read`, `write`, and `busy` for what was not kept since too much
        /// waits to be written.
        public var storeFailures: [String: Int] = [:]
        /// Requests to origins by outcome, those behind an answer included: `loaded`, `failed`.
        public var sourceLoads: [String: Int] = [:]
    }

    private struct State {
        var counts = Counts()
        /// The operations that fail, with their successes in a row since.
        var failing: [String: Int] = [:]
    }

    /// A disk that is almost full takes the small results and refuses the others.
    private static let recoveryCount = 20

    private let state = Guarded(State())
    private let onChange: @Sendable (Change) -> Void

    /// Creates a watch.
    ///
    /// - Parameter onChange: Called once when an operation of the stores begins to fail, and once when it
    ///   works again, after 20 successes in a row; on the task that finds out.
    public init(onChange: @escaping @Sendable (Change) -> Void = { _ in }) {
        self.onChange = onChange
    }

    /// The counts now.
    public var counts: Counts { state.withLock(\.counts) }

    /// Counts a load from an origin, and notes that a store works.
    public func pipeline(
        didFinish stage: LoadError.Stage,
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
    public func pipeline(didFailToStore request: ImageRequest, error: LoadError) {
        guard let operation = Self.operation(error.stage) else { return }
        // More to write than may wait is a slow disk, and no failing one.
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
