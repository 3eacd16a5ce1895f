public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader with fixed answers, which keeps a record of the requests.
public final class StubDataLoader: DataLoader {
    /// What the loader does with a URL.
    public enum Answer: Sendable {
        /// Gives these bytes, with a status and header fields such as `Cache-Control` and `ETag`.
        ///
        /// A status other than 200 to 299 and 304 fails as it does with `HTTPDataLoader`.
        case data(Data, contentType: String? = nil, status: Int = 200, headers: [HeaderField] = [])
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
        case .data(let data, let contentType, let status, let headers):
            let type = contentType.map { [HeaderField("Content-Type", $0)] } ?? []
            return try response(to: request, data, status: status, type + headers)
        case .failure(let error):
            throw error
        case nil:
            throw FetchError(.fileNotFound, detail: "the stub has no answer for \(request.url)")
        }
    }

    private func response(
        to request: FetchRequest,
        _ data: Data,
        status: Int,
        _ headers: [HeaderField]
    ) throws(FetchError) -> FetchResponse {
        guard (200...299).contains(status) || status == 304 else {
            let isRetryable = status == 429 || status >= 500
            let detail = "the stub answers \(status)"
            throw FetchError(.unacceptableStatus, status: status, isRetryable: isRetryable, detail: detail)
        }
        return FetchResponse(
            origin: .network,
            url: request.url,
            status: status,
            headers: headers,
            expectedByteCount: data.count,
            body: FetchBody(data)
        )
    }
}
