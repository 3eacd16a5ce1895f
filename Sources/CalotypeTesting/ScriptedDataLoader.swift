public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader that answers each request by a closure, which is told how many came before; it keeps the
/// requests.
public final class ScriptedDataLoader: DataLoader {
    /// Gives the answer to a request; throws to fail.
    public typealias Script = @Sendable (FetchRequest, _ index: Int) async throws -> FetchResponse

    private let script: Script
    private let received = Guarded<[FetchRequest]>([])

    /// Creates a loader; the closure is given each request with its index, counted from zero.
    public init(_ script: @escaping Script) {
        self.script = script
    }

    /// The requests so far, in the order they came.
    public var requests: [FetchRequest] {
        received.withLock { $0 }
    }

    /// Answers as the script says.
    ///
    /// - Throws: What the script throws.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let index = received.withLock { received in
            received.append(request)
            return received.count - 1
        }
        return try await script(request, index)
    }
}

extension FetchBody {
    /// A body that fails after these chunks, or ends where there is no error.
    public init(_ chunks: [Data], then failure: FetchError?) {
        self.init {
            var rest = chunks[...]
            return Iterator {
                try Task.checkCancellation()
                if let chunk = rest.popFirst() { return chunk }
                if let failure { throw failure }
                return nil
            }
        }
    }
}
