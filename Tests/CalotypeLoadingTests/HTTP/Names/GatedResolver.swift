import CalotypeSupport
import CalotypeTransfer

@testable import CalotypeLoading

extension LookupLimits {
    init(runningCount: Int, waitingNameCount: Int = 1000) {
        self.init(runningCount: runningCount, waitingNameCount: waitingNameCount, waiterCount: 20_000)
    }
}

/// A resolver whose lookups end on demand, each with its own address.
final class GatedResolver: Sendable {
    typealias Outcome = Result<[IPAddress], FetchError>

    private struct State {
        var names: [String] = []
        var waiting: [String: AsyncStream<Outcome>.Continuation] = [:]
    }

    private let state = Guarded(State())
    private let asked = AsyncStream.makeStream(of: String.self)

    var names: [String] { state.withLock(\.names) }

    func resolve(_ name: String) async throws -> [IPAddress] {
        let end = AsyncStream.makeStream(of: Outcome.self)
        let number = state.withLock { state in
            state.names.append(name)
            state.waiting[name] = end.continuation
            return state.names.count
        }
        asked.continuation.yield(name)
        for await outcome in end.stream { return try outcome.get() }
        if name.hasPrefix("none.") { throw FetchError(.hostNotFound, detail: name) }
        return [.v4(UInt32(number))]
    }

    func end(_ name: String, _ outcome: Outcome? = nil) {
        let end = state.withLock { $0.waiting.removeValue(forKey: name) }
        if let outcome { end?.yield(outcome) }
        end?.finish()
    }

    func lookups(_ limits: LookupLimits, _ time: MovedTime) -> NameLookups {
        NameLookups({ try await self.resolve($0) }, limits: limits, now: { time.now })
    }

    /// Returns when the total number of started lookups reaches `count`.
    func begun(_ count: Int) async {
        if names.count >= count { return }
        for await _ in asked.stream where names.count >= count { return }
    }
}

final class MovedTime: Sendable {
    private let elapsed = Guarded(Duration.zero)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}
