internal import CalotypeSupport

/// How long each step took that led to a result; zero for a step that was not needed.
package struct StageTimings: Hashable, Sendable {
    /// Waiting for a place, and for room for its pixels.
    package var queue: Duration = .zero
    /// Getting the original from its source; waiting for the loader's queue included.
    package var fetch: Duration = .zero
    /// Decoding; waiting for a thread included, as for the two that follow.
    package var decode: Duration = .zero
    /// Transforming.
    package var transform: Duration = .zero
    /// Encoding.
    package var encode: Duration = .zero

    package init() {}
}

/// Adds up how long the steps of one piece of work take.
package final class StageClock: Sendable {
    private let state = Guarded(StageTimings())
    private let isCounted = Guarded(false)
    private let step = Guarded<String?>(nil)

    init() {}

    /// Whether it is to be counted: true once, however many have waited for the work.
    package func mayBeCounted() -> Bool {
        isCounted.withLock { isCounted in
            defer { isCounted = true }
            return !isCounted
        }
    }

    /// The step under way; `nil` between two of them.
    var currentStep: String? { step.withLock(\.self) }

    /// What has been added up.
    package var timings: StageTimings { state.withLock(\.self) }

    /// Takes over what another has added up.
    func add(_ other: StageClock) {
        let more = other.timings
        state.withLock { timings in
            timings.queue += more.queue
            timings.fetch += more.fetch
            timings.decode += more.decode
            timings.transform += more.transform
            timings.encode += more.encode
        }
    }

    private static func name(of step: PartialKeyPath<StageTimings>) -> String? {
        switch step {
        case \.queue: "queue"
        case \.fetch: "fetch"
        case \.decode: "decode"
        case \.transform: "transform"
        case \.encode: "encode"
        default: nil
        }
    }

    /// Runs a step, and adds how long it took.
    func measure<Value>(
        _ step: any WritableKeyPath<StageTimings, Duration> & Sendable,
        by now: () -> ContinuousClock.Instant,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = now()
        self.step.withLock { $0 = Self.name(of: step) }
        defer { self.step.withLock { $0 = nil } }
        let value = try await body()
        let elapsed = now() - start
        state.withLock { $0[keyPath: step] += elapsed }
        return value
    }
}
