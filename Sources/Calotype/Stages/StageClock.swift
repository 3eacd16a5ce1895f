internal import CalotypeSupport

/// The duration of each stage of a result; zero for a stage that was not needed.
public struct StageTimings: Hashable, Sendable {
    /// Waiting for a permit and a budget of pixels.
    public var queue: Duration = .zero
    /// Loading the original, with the wait in the loader's queue.
    public var fetch: Duration = .zero
    /// Decoding, with the wait for a thread, as for the two stages below.
    public var decode: Duration = .zero
    /// Transforming.
    public var transform: Duration = .zero
    /// Encoding.
    public var encode: Duration = .zero

    /// Creates empty timings.
    public init() {}
}

/// Adds up the durations of the stages of one piece of work.
package final class StageClock: Sendable {
    private let state = Guarded(StageTimings())
    private let isCounted = Guarded(false)
    private let step = Guarded<String?>(nil)

    init() {}

    /// Returns true in the first call only, however many callers waited for the work.
    package func mayBeCounted() -> Bool {
        isCounted.withLock { isCounted in
            defer { isCounted = true }
            return !isCounted
        }
    }

    /// The current stage; `nil` between two of them.
    var currentStep: String? { step.withLock(\.self) }

    package var timings: StageTimings { state.withLock(\.self) }

    /// Adds the durations of another clock.
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
