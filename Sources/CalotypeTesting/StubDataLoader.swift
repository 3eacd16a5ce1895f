public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A loader with fixed responses, which records the requests.
public final class StubDataLoader: DataLoader {
    /// The response of the loader for a URL.
    public enum Response: Sendable {
        /// Responds with these bytes, a status, and header fields such as `Cache-Control` and `ETag`.
        ///
        /// A status other than 200 to 299 and 304 fails as in `HTTPDataLoader`.
        case data(Data, contentType: String? = nil, status: Int = 200, headers: [HeaderField] = [])
        /// Throws.
        case failure(FetchError)
    }

    private let answers: [URL: Response]
    private let received = Guarded<[FetchRequest]>([])

    /// Whether the loader adds credentials: false.
    public var hasCacheIdentity: Bool { false }

    /// Creates a loader; a URL without a response fails with `FetchError.Code.fileNotFound`.
    public init(_ answers: [URL: Response]) {
        self.answers = answers
    }

    /// The requests so far, in the order of arrival.
    public var requests: [FetchRequest] {
        received.withLock { $0 }
    }

    /// Returns the response for the URL.
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
            throw FetchError(.fileNotFound, detail: "the stub has no response for \(request.url)")
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
            let detail = "the stub responds with \(status)"
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
