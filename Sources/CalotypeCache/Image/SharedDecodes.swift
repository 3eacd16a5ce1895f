import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Decodes that are under way, each shared by all queries that ask the same of the same bytes.
///
/// The bytes are compared, so that nobody gets an image of others than it has read, whatever was stored
/// meanwhile. A decode is a task of its own: a query that is cancelled leaves at once and disturbs nobody;
/// the last to leave cancels the decode.
final class SharedDecodes: Sendable {
    /// What decides about the image but the bytes.
    struct Subject: Hashable, Sendable {
        let key: ImageKey
        let query: CacheQuery

        init(_ key: ImageKey, _ query: CacheQuery) {
            var query = query
            // Asked for beside the image.
            query.wantsData = false
            (self.key, self.query) = (key, query)
        }
    }

    /// What has become of the bytes.
    enum Outcome: Sendable {
        case decoded(Image)
        /// Memory has had the image by then.
        case resident(Image)
        /// They are not of the kind that was asked for.
        case otherKind
    }

    typealias Work = @Sendable () async throws -> Outcome

    private let running = Guarded<[Subject: Decode]>([:])

    /// How many queries wait for decodes; for tests.
    var waiterCount: Int { running.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiterCount } }

    /// What becomes of bytes: the end of the same work where that is under way, else of work that starts.
    ///
    /// - Throws: What the work throws; `CancellationError` where the caller's task is cancelled.
    func outcome(of data: Data, for subject: Subject, startedBy work: @escaping Work) async throws -> Outcome
    {
        var passedOver: Decode?
        while true {
            let new = Decode(of: data)
            let known = join(subject, new, inPlaceOf: passedOver)
            if known == nil { start(new, of: subject, work) }
            let decode = known ?? new
            if decode.data == data, let outcome = try await decode.outcome() { return outcome }
            // Other bytes under the same key: something was stored in between. Or all that waited have left.
            passedOver = decode
        }
    }

    private func start(_ decode: Decode, of subject: Subject, _ work: @escaping Work) {
        decode.start {
            let result = await Result(catching: work)
            // What the work has kept can be found by now, so whoever misses it here finds that.
            self.running.withLock { running in
                if running[subject] === decode { running[subject] = nil }
            }
            decode.end(with: result)
        }
    }

    /// The decode that is under way; puts a new one there where none is, or none but the one passed over.
    private func join(_ subject: Subject, _ decode: Decode, inPlaceOf passedOver: Decode?) -> Decode? {
        running.withLock { running in
            if let known = running[subject], known !== passedOver { return known }
            running[subject] = decode
            return nil
        }
    }
}

/// One piece of work, and who waits for it.
private final class Decode: Sendable {
    typealias Result = Swift.Result<SharedDecodes.Outcome, any Error>
    /// Gets `nil` where the work has been cancelled, since nobody waited.
    private typealias Waiter = @Sendable (Result?) -> Void

    private struct State: Sendable {
        var result: Result?
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
        var task: Task<Void, Never>?
        var isAbandoned = false
    }

    let data: Data
    private let state = Guarded(State())

    init(of data: Data) { self.data = data }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Starts the work, which calls ``end(with:)``.
    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task { await work() }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    func end(with result: Result) {
        let waiters = state.withLock { state in
            state.result = result
            // What runs holds the task.
            state.task = nil
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter(result) }
    }

    /// The end of the work; `nil` where it has been cancelled by then.
    func outcome() async throws -> SharedDecodes.Outcome? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                if let answer = join(number, handOver) { handOver(answer) }
                // A cancellation that came before has found nobody.
                if Task.isCancelled { leave(number) }
            }?.get()
        } onCancel: {
            leave(number)
        }
    }

    /// Adds a waiter, unless there is an answer for it already.
    private func join(_ number: Int, _ waiter: @escaping Waiter) -> Result?? {
        state.withLock { state in
            if let result = state.result { return .some(result) }
            if state.isAbandoned { return .some(nil) }
            state.waiters[number] = waiter
            return .none
        }
    }

    private func leave(_ number: Int) {
        let (waiter, task) = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: number) else {
                return (Waiter?.none, Task<Void, Never>?.none)
            }
            state.isAbandoned = state.waiters.isEmpty
            return (waiter, state.isAbandoned ? state.task : nil)
        }
        task?.cancel()
        waiter?(.failure(CancellationError()))
    }
}

extension Result where Failure == any Error, Success: Sendable {
    /// What asynchronous work returns or throws.
    fileprivate init(catching work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
