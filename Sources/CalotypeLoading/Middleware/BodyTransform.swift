public import FoundationEssentials

/// Middleware that transforms the whole body of a response, for example decrypts it or extracts an image from
/// an envelope.
///
/// ```swift
/// BodyTransform { sealed in try AES.GCM.open(.init(combined: sealed), using: key) }
/// ```
///
/// The body is collected when it is first read, within the request's `maxByteCount`, and the result is
/// subject to the same limit. The result is one chunk, so there is neither progress nor a preview. The
/// announced size is removed, and ranges are announced as not supported. The cache stores the result:
/// decrypted images are stored in the clear. A 204 or 304 response has no body and passes unchanged; a
/// request for a part (`Range`) is rejected.
public struct BodyTransform: LoaderMiddleware {
    /// Transforms a body; may throw ``FetchError`` with the reason of a failure.
    public typealias Transform = @Sendable (Data) async throws -> Data

    private let transform: Transform

    /// Creates middleware from a closure.
    public init(_ transform: @escaping Transform) {
        self.transform = transform
    }

    /// Loads; the body is transformed when it is read.
    ///
    /// - Throws: The error of the loader; ``FetchError/Code/invalidRequest`` for a partial request.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        guard request.headers.combinedValue(of: "range") == nil else {
            throw FetchError(.invalidRequest, detail: "a partial body cannot be transformed")
        }
        let response = try await next.response(for: request)
        guard ![204, 304].contains(response.status) else { return response }
        var transformed = response
        transformed.expectedByteCount = nil
        transformed.headers.removeAll { Self.namesOfTheBytes.contains($0.name.lowercased()) }
        // Or a body that breaks off would be stored, and continued by a part of the bytes as sent.
        transformed.headers.append(HeaderField("Accept-Ranges", "none"))
        transformed.body = body(of: response, to: request)
        return transformed
    }

    // Fields that describe the bytes as sent.
    private static let namesOfTheBytes: Set = [
        "accept-ranges", "content-digest", "content-length", "content-md5", "digest", "repr-digest",
    ]

    private func body(of response: FetchResponse, to request: FetchRequest) -> FetchBody {
        FetchBody {
            var source: FetchResponse? = response
            return FetchBody.Iterator {
                guard let whole = source else { return nil }
                source = nil
                let bytes = try await transform(whole.collected(for: request))
                _ = try BodyLimit(maxByteCount: request.maxByteCount, expectedByteCount: bytes.count)
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}

extension FetchResponse {
    /// Returns the whole body, within the limit even if the loader does not enforce it.
    fileprivate func collected(for request: FetchRequest) async throws -> Data {
        let maxByteCount = request.maxByteCount
        var bodyLimit = try BodyLimit(maxByteCount: maxByteCount, expectedByteCount: expectedByteCount)
        var data = Data()
        for try await chunk in body {
            try bodyLimit.add(chunk.count)
            data.append(chunk)
            try await request.awaitBudget?(data.count)
        }
        try bodyLimit.finish()
        return data
    }
}
