package import FoundationEssentials

/// The beginning of a body that broke off, without its bytes.
///
/// It has their number and the fields that tell whether a response continues them; they stay in their store
/// until there is one.
///
/// The rule is that of ``RetryingLoader``: a range of the same content, known by a strong validator.
package struct PartialBody: Hashable, Sendable {
    private struct Head: Codable {
        var names: [String]
        var values: [String]
        var expectedByteCount: Int?
        var source: String
    }

    /// Less is not worth a place in a store.
    package static let byteCountMin = 16 << 10
    /// What a store takes beside the bytes.
    private static let metadataByteCountMax = 4_096
    private static let keptNames: Set = [
        "etag", "last-modified", "date", "accept-ranges", "content-type", "content-encoding",
    ]

    /// How many bytes there are, from the first on.
    package let byteCount: Int
    private let headers: [HeaderField]
    private let expectedByteCount: Int?
    /// The digest of the URL that gave the bytes.
    private let source: String

    /// Keeps what has come of an answer; `nil` where it cannot be continued, or is too little.
    package init?(_ data: Data, of response: FetchResponse, to request: FetchRequest) {
        guard data.count >= Self.byteCountMin, response.origin == .network, response.status == 200,
            request.isPlainGet, data.count < response.expectedByteCount ?? .max,
            !response.forbidsStoring(for: request)
        else { return nil }
        let headers = response.headers.filter { Self.keptNames.contains($0.name.lowercased()) }
        self.init(data.count, headers, response.expectedByteCount, response.url.sourceDigest)
        guard continuing(request) != nil else { return nil }
    }

    /// Creates one from the length of an entry and the metadata beside it; `nil` where these are not
    /// ``metadata``.
    package init?(byteCount: Int, metadata: Data) {
        let head: Head
        do { head = try JSONDecoder().decode(Head.self, from: metadata) } catch { return nil }
        guard byteCount >= Self.byteCountMin, head.names.count == head.values.count else { return nil }
        let headers = zip(head.names, head.values).map { HeaderField($0, $1) }
        self.init(byteCount, headers, head.expectedByteCount, head.source)
    }

    private init(_ byteCount: Int, _ headers: [HeaderField], _ expectedByteCount: Int?, _ source: String) {
        (self.byteCount, self.headers) = (byteCount, headers)
        (self.expectedByteCount, self.source) = (expectedByteCount, source)
    }

    /// What a store keeps beside the bytes; `nil` where it is too long.
    package var metadata: Data? {
        let head = Head(
            names: headers.map(\.name),
            values: headers.map(\.value),
            expectedByteCount: expectedByteCount,
            source: source
        )
        do {
            let bytes = try JSONEncoder().encode(head)
            return bytes.count <= Self.metadataByteCountMax ? bytes : nil
        } catch {
            return nil
        }
    }

    /// The request for what is missing; `nil` where parts are not to be had.
    package func continuing(_ request: FetchRequest) -> FetchRequest? {
        guard request.headers.combinedValue(of: "range") == nil, byteCount < request.byteCountMax else {
            return nil
        }
        let rest = point(for: request).request(request, from: byteCount)
        return rest?.conditions == nil ? nil : rest
    }

    /// The whole, of which the answer brings the rest; `nil` where it is of something else.
    ///
    /// - Parameters:
    ///   - answer: The answer to what ``continuing(_:)`` gives.
    ///   - request: The request for the whole.
    ///   - bytes: Reads the bytes, when the body is read; `nil` where there are others, or none any more.
    /// - Returns: An answer as to that request; one with the whole in it as it is.
    /// - Throws: ``FetchError/Code/bodyTooLarge``.
    package func whole(
        _ answer: FetchResponse,
        to request: FetchRequest,
        bytes: @escaping @Sendable () async throws -> Data?
    ) throws -> FetchResponse? {
        guard answer.status == 206 else { return answer }
        guard case .rest(let count) = point(for: request).continuation(answer, after: byteCount) else {
            return nil
        }
        var whole = answer
        whole.status = 200
        whole.expectedByteCount = count
        whole.headers.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        whole.headers += headers.filter { field in
            field.name.lowercased() != "date" && whole.headers.firstValue(of: field.name.lowercased()) == nil
        }
        let tally = try BodyTally(byteCountMax: request.byteCountMax, expectedByteCount: count)
        whole.body = Self.body(beginningWith: bytes, followedBy: answer.body, tally)
        return whole
    }

    private static func body(
        beginningWith bytes: @escaping @Sendable () async throws -> Data?,
        followedBy rest: FetchBody,
        _ empty: BodyTally
    ) -> FetchBody {
        FetchBody {
            var isFirst = true
            var chunks = rest.makeAsyncIterator()
            var count = 0
            return FetchBody.Iterator {
                let chunk: Data?
                if isFirst {
                    guard let data = try await bytes() else { throw Self.lost }
                    chunk = data
                } else {
                    chunk = try await chunks.next()
                }
                isFirst = false
                count += chunk?.count ?? 0
                var tally = empty
                try tally.add(count)
                if chunk == nil { try tally.finish() }
                return chunk
            }
        }
    }

    private static let lost = FetchError(
        .abandoned,
        isRetryable: true,
        detail: "the stored beginning of the body is gone or has changed since its rest was requested"
    )

    private func point(for request: FetchRequest) -> ResumePoint {
        let head = FetchResponse(
            origin: .network,
            url: request.url,
            headers: headers,
            expectedByteCount: expectedByteCount,
            body: FetchBody(Data())
        )
        return ResumePoint(head, to: request) { [source] in $0.sourceDigest == source }
    }
}
