public import FoundationEssentials

/// Turns the whole body of an answer into other bytes: decrypts it, takes a picture out of an envelope.
///
/// ```swift
/// BodyTransform { sealed in try AES.GCM.open(.init(combined: sealed), using: key) }
/// ```
///
/// The body is collected when it is first read, within the request's `byteCountMax`, and the result is held
/// to the same limit. It comes as one chunk, so there is neither progress nor a preview. The announced size
/// is taken away. What is stored is the result: the cache keeps the picture in the clear. An answer 204 or
/// 304 has no body and passes unchanged; a request for a part (`Range`) is refused.
public struct BodyTransform: LoaderMiddleware {
    /// Makes other bytes of a body; may throw ``FetchError`` to say why it cannot.
    public typealias Transform = @Sendable (Data) async throws -> Data

    private let transform: Transform

    /// Creates middleware from a closure.
    public init(_ transform: @escaping Transform) {
        self.transform = transform
    }

    /// Loads; the body is transformed when it is read.
    ///
    /// - Throws: What the loader throws; ``FetchError/Code/invalidRequest`` for a part.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        guard request.headers.combinedValue(of: "range") == nil else {
            throw FetchError(.invalidRequest, detail: "a part of a body cannot be transformed")
        }
        let response = try await next.response(for: request)
        guard ![204, 304].contains(response.status) else { return response }
        var transformed = response
        transformed.expectedByteCount = nil
        transformed.headers.removeAll { Self.namesOfTheBytes.contains($0.name.lowercased()) }
        transformed.body = body(of: response, byteCountMax: request.byteCountMax)
        return transformed
    }

    /// Fields that speak of the bytes as they were sent.
    private static let namesOfTheBytes: Set = [
        "accept-ranges", "content-digest", "content-length", "content-md5", "digest", "repr-digest",
    ]

    private func body(of response: FetchResponse, byteCountMax: Int) -> FetchBody {
        FetchBody {
            var source: FetchResponse? = response
            return FetchBody.Iterator {
                guard let whole = source else { return nil }
                source = nil
                let bytes = try await transform(whole.collected(atMost: byteCountMax))
                _ = try BodyTally(byteCountMax: byteCountMax, expectedByteCount: bytes.count)
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}

extension FetchResponse {
    /// The whole body, also of a loader that does not keep the limit itself.
    fileprivate func collected(atMost byteCountMax: Int) async throws -> Data {
        var tally = try BodyTally(byteCountMax: byteCountMax, expectedByteCount: expectedByteCount)
        var data = Data()
        for try await chunk in body {
            try tally.add(chunk.count)
            data.append(chunk)
        }
        try tally.finish()
        return data
    }
}
