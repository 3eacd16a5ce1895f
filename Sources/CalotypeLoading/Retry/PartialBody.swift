package import FoundationEssentials

/// What a load has brought of a body before it broke off, with what tells whether an answer continues it.
///
/// The rule is that of ``RetryingLoader``: a range of the same content, known by a strong validator.
package struct PartialBody: Sendable {
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

    /// The bytes, from the first on.
    package let data: Data
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
        self.init(data, headers, response.expectedByteCount, response.url.sourceDigest)
        guard continuing(request) != nil else { return nil }
    }

    /// Takes up what a store has kept; `nil` where that is not what ``metadata`` makes.
    package init?(_ data: Data, metadata: Data) {
        let head: Head
        do { head = try JSONDecoder().decode(Head.self, from: metadata) } catch { return nil }
        guard data.count >= Self.byteCountMin, head.names.count == head.values.count else { return nil }
        let headers = zip(head.names, head.values).map { HeaderField($0, $1) }
        self.init(data, headers, head.expectedByteCount, head.source)
    }

    private init(_ data: Data, _ headers: [HeaderField], _ expectedByteCount: Int?, _ source: String) {
        (self.data, self.headers) = (data, headers)
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
        guard request.headers.combinedValue(of: "range") == nil, data.count < request.byteCountMax else {
            return nil
        }
        let rest = point(for: request).request(request, from: data.count)
        return rest?.conditions == nil ? nil : rest
    }

    /// The whole, of which the answer brings the rest; `nil` where it is of something else.
    ///
    /// - Parameters:
    ///   - answer: The answer to what ``continuing(_:)`` gives.
    ///   - request: The request for the whole.
    /// - Returns: An answer as to that request; one with the whole in it as it is.
    /// - Throws: ``FetchError/Code/bodyTooLarge``.
    package func whole(_ answer: FetchResponse, to request: FetchRequest) throws -> FetchResponse? {
        guard answer.status == 206 else { return answer }
        guard case .rest(let count) = point(for: request).continuation(answer, after: data.count) else {
            return nil
        }
        _ = try BodyTally(byteCountMax: request.byteCountMax, expectedByteCount: count)
        var whole = answer
        whole.status = 200
        whole.expectedByteCount = count
        whole.headers.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        whole.headers += headers.filter { field in
            field.name.lowercased() != "date" && whole.headers.firstValue(of: field.name.lowercased()) == nil
        }
        whole.body = body(followedBy: answer.body, byteCount: count, byteCountMax: request.byteCountMax)
        return whole
    }

    private func body(followedBy rest: FetchBody, byteCount: Int, byteCountMax: Int) -> FetchBody {
        FetchBody { [data] in
            var first: Data? = data
            var chunks = rest.makeAsyncIterator()
            var count = 0
            return FetchBody.Iterator {
                let chunk: Data?
                if let data = first { chunk = data } else { chunk = try await chunks.next() }
                first = nil
                count += chunk?.count ?? 0
                var tally = try BodyTally(byteCountMax: byteCountMax, expectedByteCount: byteCount)
                try tally.add(count)
                if chunk == nil { try tally.finish() }
                return chunk
            }
        }
    }

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
