package import FoundationEssentials

/// The part of a body that was received before a load failed, without its bytes.
///
/// It has their number and the fields that decide whether a response continues them; the bytes stay in their
/// store until there is such a response. The rule is that of ``RetryingLoader``: a range of the same content,
/// identified by a strong validator.
package struct PartialBody: Hashable, Sendable {
    private struct Head: Codable {
        var names: [String]
        var values: [String]
        var expectedByteCount: Int?
        var source: String
    }

    /// The least size worth storing.
    package static let minByteCount = 16 << 10
    /// The limit of a store for metadata.
    private static let maxMetadataByteCount = 4_096
    private static let keptNames: Set = [
        "etag", "last-modified", "date", "accept-ranges", "content-type", "content-encoding",
    ]

    /// The number of bytes, from the start of the body.
    package let byteCount: Int
    private let headers: [HeaderField]
    private let expectedByteCount: Int?
    /// The digest of the URL that sent the bytes.
    private let source: String

    /// Creates a partial body; `nil` if it cannot be continued, or is too short.
    package init?(_ data: Data, of response: FetchResponse, to request: FetchRequest) {
        guard data.count >= Self.minByteCount, response.origin == .network, response.status == 200,
            request.isPlainGet, data.count < response.expectedByteCount ?? .max,
            !response.forbidsStoring(for: request)
        else { return nil }
        let headers = response.headers.filter { Self.keptNames.contains($0.name.lowercased()) }
        self.init(data.count, headers, response.expectedByteCount, response.url.sourceDigest)
        guard continuing(request) != nil else { return nil }
    }

    /// Restores a partial body from the length of a store's entry and its metadata; `nil` if these are
    /// invalid.
    package init?(byteCount: Int, metadata: Data) {
        let head: Head
        do { head = try JSONDecoder().decode(Head.self, from: metadata) } catch { return nil }
        guard byteCount >= Self.minByteCount, head.names.count == head.values.count else { return nil }
        let headers = zip(head.names, head.values).map { HeaderField($0, $1) }
        self.init(byteCount, headers, head.expectedByteCount, head.source)
    }

    private init(_ byteCount: Int, _ headers: [HeaderField], _ expectedByteCount: Int?, _ source: String) {
        (self.byteCount, self.headers) = (byteCount, headers)
        (self.expectedByteCount, self.source) = (expectedByteCount, source)
    }

    /// The metadata for a store; `nil` if it is too long.
    package var metadata: Data? {
        let head = Head(
            names: headers.map(\.name),
            values: headers.map(\.value),
            expectedByteCount: expectedByteCount,
            source: source
        )
        do {
            let bytes = try JSONEncoder().encode(head)
            return bytes.count <= Self.maxMetadataByteCount ? bytes : nil
        } catch {
            return nil
        }
    }

    /// Returns the request for the rest; `nil` if ranges cannot be requested.
    package func continuing(_ request: FetchRequest) -> FetchRequest? {
        guard request.headers.combinedValue(of: "range") == nil, byteCount < request.maxByteCount else {
            return nil
        }
        let rest = point(for: request).request(request, from: byteCount)
        return rest?.conditions == nil ? nil : rest
    }

    /// Returns the whole body, continued by the response; `nil` if that belongs to different content.
    ///
    /// - Parameters:
    ///   - answer: The response to the request from ``continuing(_:)``.
    ///   - request: The request for the whole.
    ///   - bytes: Reads the bytes when the body is read; `nil` if they are gone or have changed.
    /// - Returns: A response to that request; a response with the whole body is returned unchanged.
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
        let bodyLimit = try BodyLimit(maxByteCount: request.maxByteCount, expectedByteCount: count)
        whole.body = Self.body(beginningWith: bytes, followedBy: answer.body, bodyLimit)
        return whole
    }

    private static func body(
        beginningWith bytes: @escaping @Sendable () async throws -> Data?,
        followedBy rest: FetchBody,
        _ empty: BodyLimit
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
                var bodyLimit = empty
                try bodyLimit.add(count)
                if chunk == nil { try bodyLimit.finish() }
                return chunk
            }
        }
    }

    /// The error of a body whose stored beginning cannot be read.
    package static let lost = FetchError(
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
