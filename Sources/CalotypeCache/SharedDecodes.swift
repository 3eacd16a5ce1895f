import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Decodes that are under way, each shared by all queries that ask the same of the same bytes.
///
/// The bytes are compared, so that nobody gets an image of others than it has read, whatever was stored
/// meanwhile. A decode is a task of its own: no query's cancellation reaches it, and each gets its end.
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
    func outcome(of data: Data, for subject: Subject, startedBy work: @escaping Work) async throws -> Outcome
    {
        let decode = Decode(of: data)
        var passedOver: Decode?
        while let known = join(subject, decode, inPlaceOf: passedOver) {
            if known.data == data { return try await known.outcome() }
            // Other bytes under the same key: something was stored in between.
            passedOver = known
        }
        Task {
            let result = await Result(catching: work)
            // What the work has kept can be found by now, so whoever misses it here finds that.
            running.withLock { running in
                if running[subject] === decode { running[subject] = nil }
            }
            decode.end(with: result)
        }
        return try await decode.outcome()
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

    private struct State: Sendable {
        var result: Result?
        var waiters: [@Sendable (Result) -> Void] = []
    }

    let data: Data
    private let state = Guarded(State())

    init(of data: Data) { self.data = data }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func end(with result: Result) {
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for handOver in waiters { handOver(result) }
    }

    func outcome() async throws -> SharedDecodes.Outcome {
        try await handedOver { handOver in
            let result = state.withLock { state in
                if state.result == nil { state.waiters.append(handOver) }
                return state.result
            }
            if let result { handOver(result) }
        }.get()
    }
}

extension Result where Failure == any Error, Success: Sendable {
    /// What asynchronous work returns or throws.
    fileprivate init(catching work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
