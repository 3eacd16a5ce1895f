public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader that responds to each request by a closure with the number of earlier requests; it records the
/// requests.
public final class ScriptedDataLoader: DataLoader {
    /// Returns the response to a request; throws to fail.
    public typealias Script = @Sendable (FetchRequest, _ index: Int) async throws -> FetchResponse

    private let script: Script
    private let received = Guarded<[FetchRequest]>([])

    /// Creates a loader; the closure receives each request with its index from zero.
    public init(_ script: @escaping Script) {
        self.script = script
    }

    /// The requests so far, in the order of arrival.
    public var requests: [FetchRequest] {
        received.withLock { $0 }
    }

    /// Returns the script's response.
    ///
    /// - Throws: The error of the script.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let index = received.withLock { received in
            received.append(request)
            return received.count - 1
        }
        return try await script(request, index)
    }
}

extension FetchBody {
    /// Creates a body that fails after these chunks, or ends if there is no error.
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
