import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The running decodes, each shared by all queries with the same options for the same bytes.
///
/// The bytes are compared, so that no query gets an image of other bytes than it has read, whatever was
/// stored meanwhile. A decode is a task of its own: a cancelled query stops waiting at once and does not
/// affect the others; the last one to stop cancels the decode.
final class SharedDecodes: Sendable {
    /// The inputs of a decode other than the bytes.
    struct Subject: Hashable, Sendable {
        let key: ImageKey
        let query: CacheQuery

        init(_ key: ImageKey, _ query: CacheQuery) {
            var query = query
            // Not an input of the decode.
            query.includesData = false
            (self.key, self.query) = (key, query)
        }
    }

    enum Outcome: Sendable {
        case decoded(Image)
        /// Memory had the image by then.
        case resident(Image)
        /// The bytes are not of the requested kind.
        case otherKind
    }

    typealias Work = @Sendable () async throws -> Outcome

    private let running = Guarded<[Subject: Decode]>([:])

    var waiterCount: Int { running.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiterCount } }

    /// Returns the result of the running decode of these bytes, or of a new one.
    ///
    /// - Throws: The error of the work; `CancellationError` if the caller's task is cancelled.
    func outcome(of data: Data, for subject: Subject, startedBy work: @escaping Work) async throws -> Outcome
    {
        var passedOver: Decode?
        while true {
            let new = Decode(of: data)
            let known = join(subject, new, inPlaceOf: passedOver)
            if known == nil { start(new, of: subject, work) }
            let decode = known ?? new
            if decode.data == data, let outcome = try await decode.outcome() { return outcome }
            // Other bytes under the same key: an image was stored in between. Or all waiters have been
            // cancelled.
            passedOver = decode
        }
    }

    private func start(_ decode: Decode, of subject: Subject, _ work: @escaping Work) {
        decode.start {
            let result = await Result(catching: work)
            // The result is in memory by now, so a query that no longer finds this decode finds the image.
            self.running.withLock { running in
                if running[subject] === decode { running[subject] = nil }
            }
            decode.end(with: result)
        }
    }

    /// Returns the running decode; registers the new one if none is running except the one passed over.
    private func join(_ subject: Subject, _ decode: Decode, inPlaceOf passedOver: Decode?) -> Decode? {
        running.withLock { running in
            if let known = running[subject], known !== passedOver { return known }
            running[subject] = decode
            return nil
        }
    }
}

private final class Decode: Sendable {
    typealias Result = Swift.Result<SharedDecodes.Outcome, any Error>
    /// Receives `nil` if the work has been cancelled because it had no waiters.
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
            // The running closure retains the task.
            state.task = nil
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter(result) }
    }

    /// Returns the result of the work; `nil` if it has been cancelled by then.
    func outcome() async throws -> SharedDecodes.Outcome? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                if let answer = join(number, handOver) { handOver(answer) }
                // An earlier cancellation found no waiter.
                if Task.isCancelled { leave(number) }
            }?.get()
        } onCancel: {
            leave(number)
        }
    }

    /// Adds a waiter, unless there is a result for it already.
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
    fileprivate init(catching work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
