import FoundationEssentials

/// Reads the chunks of a body, and resumes it after an interruption.
struct ResumingReader {
    private let request: FetchRequest
    private let loader: RetryingLoader
    private let point: ResumePoint
    private var retryCount: Int
    // `nil` once the body has ended, successfully or not.
    private var chunks: FetchBody.Iterator?
    private var expectedByteCount: Int?
    // The URL that the chunks come from.
    private var url: URL
    // The bytes passed on.
    private var byteCount = 0
    // The bytes to skip before the next ones are passed on.
    private var skippedByteCount = 0

    init(_ response: FetchResponse, to request: FetchRequest, _ loader: RetryingLoader, retryCount: Int) {
        self.request = request
        self.loader = loader
        self.retryCount = retryCount
        point = ResumePoint(response, to: request)
        chunks = response.body.makeAsyncIterator()
        expectedByteCount = response.expectedByteCount
        url = response.url
    }

    /// Returns the next chunk, or `nil` at the end.
    mutating func next() async throws -> Data? {
        while chunks != nil {
            do {
                guard let chunk = try await chunks?.next() else {
                    try end()
                    return nil
                }
                if let chunk = try counted(chunk) { return chunk }
            } catch var error as FetchError {
                // Released before the wait: the connection is not needed any more.
                chunks = nil
                // A request for the rest may be redirected elsewhere.
                error.answeringURL = error.answeringURL ?? url
                guard error.isRetryable || request.retryRule != nil else { throw error }
                try await resume(after: error)
            } catch {
                chunks = nil
                throw error
            }
        }
        return nil
    }

    private mutating func end() throws(FetchError) {
        if let expectedByteCount, byteCount < expectedByteCount { throw .short(expectedByteCount) }
        // The repeated whole was shorter than the part passed on.
        if skippedByteCount > 0 { throw .short(byteCount) }
        chunks = nil
    }

    /// Returns the chunk without bytes passed on before; `nil` if none are left.
    private mutating func counted(_ chunk: Data) throws(FetchError) -> Data? {
        let skipped = min(skippedByteCount, chunk.count)
        skippedByteCount -= skipped
        let rest = skipped == 0 ? chunk : Data(chunk.dropFirst(skipped))
        guard !rest.isEmpty else { return nil }
        byteCount += rest.count
        // The loader has counted each part separately; this counts the whole.
        var bodyLimit = try BodyLimit(
            maxByteCount: request.maxByteCount,
            expectedByteCount: expectedByteCount
        )
        try bodyLimit.add(byteCount)
        return rest
    }

    /// Requests the rest until it arrives.
    ///
    /// - Throws: `error` if it does not; `CancellationError`.
    private mutating func resume(after error: FetchError) async throws {
        guard let request = point.request(request, from: byteCount), request.mayResume?() ?? true else {
            throw error
        }
        var cause = error
        while try await loader.wait(after: cause, of: request, &retryCount) {
            let answer: FetchResponse
            do {
                answer = try await loader.response(to: request, after: cause)
            } catch let failure as FetchError where failure.isRetryable {
                cause = failure
                continue
            } catch is FetchError {
                break
            }
            guard let continuation = point.continuation(answer, after: byteCount) else { break }
            return proceed(with: answer, continuation)
        }
        throw error
    }

    private mutating func proceed(with answer: FetchResponse, _ continuation: ResumePoint.Continuation) {
        switch continuation {
        case .rest(let totalByteCount):
            expectedByteCount = totalByteCount
            skippedByteCount = 0
        case .whole(let count):
            expectedByteCount = expectedByteCount ?? answer.expectedByteCount
            skippedByteCount = count
        }
        chunks = answer.body.makeAsyncIterator()
        url = answer.url
    }
}
