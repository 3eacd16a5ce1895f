public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader with fixed answers, which keeps a record of the requests.
public final class StubDataLoader: DataLoader {
    /// What the loader does with a URL.
    public enum Answer: Sendable {
        /// Gives these bytes.
        case data(Data, contentType: String? = nil)
        /// Fails.
        case failure(FetchError)
    }

    private let answers: [URL: Answer]
    private let received = Guarded<[FetchRequest]>([])

    /// False: it adds no credentials of its own.
    public var hasCacheIdentity: Bool { false }

    /// Creates a loader; a URL without an answer fails with `FetchError.Code.fileNotFound`.
    public init(_ answers: [URL: Answer]) {
        self.answers = answers
    }

    /// The requests so far, in the order they came.
    public var requests: [FetchRequest] {
        received.withLock { $0 }
    }

    /// Answers as the loader was told.
    ///
    /// - Throws: The error for this URL.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        received.withLock { $0.append(request) }
        switch answers[request.url] {
        case .data(let data, let contentType):
            return FetchResponse(
                origin: .network,
                url: request.url,
                headers: contentType.map { [HeaderField("Content-Type", $0)] } ?? [],
                expectedByteCount: data.count,
                body: FetchBody(data)
            )
        case .failure(let error):
            throw error
        case nil:
            throw FetchError(.fileNotFound, detail: "the stub has no answer for \(request.url)")
        }
    }
}
