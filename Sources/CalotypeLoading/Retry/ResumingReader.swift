import FoundationEssentials

/// Gives the chunks of a body, and has it continued where it breaks off.
struct ResumingReader {
    private let request: FetchRequest
    private let loader: RetryingLoader
    private let point: ResumePoint
    private var retryCount: Int
    /// `nil` once the body has ended, in whichever way.
    private var chunks: FetchBody.Iterator?
    private var expectedByteCount: Int?
    /// The bytes that were handed on.
    private var byteCount = 0
    /// The bytes to pass over before the next that are handed on.
    private var skippedByteCount = 0

    init(_ response: FetchResponse, to request: FetchRequest, _ loader: RetryingLoader, retryCount: Int) {
        self.request = request
        self.loader = loader
        self.retryCount = retryCount
        point = ResumePoint(response, to: request)
        chunks = response.body.makeAsyncIterator()
        expectedByteCount = response.expectedByteCount
    }

    /// The next chunk, or `nil` at the end.
    mutating func next() async throws -> Data? {
        while chunks != nil {
            do {
                guard let chunk = try await chunks?.next() else {
                    try end()
                    return nil
                }
                if let chunk = try counted(chunk) { return chunk }
            } catch let error as FetchError where error.isRetryable || request.retryRule != nil {
                // Let go before the wait: the connection is of no more use.
                chunks = nil
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
        // The whole once more was shorter than the part that was handed on.
        if skippedByteCount > 0 { throw .short(byteCount) }
        chunks = nil
    }

    /// The chunk without what was handed on before; `nil` where nothing is left of it.
    private mutating func counted(_ chunk: Data) throws(FetchError) -> Data? {
        let skipped = min(skippedByteCount, chunk.count)
        skippedByteCount -= skipped
        let rest = skipped == 0 ? chunk : Data(chunk.dropFirst(skipped))
        guard !rest.isEmpty else { return nil }
        byteCount += rest.count
        // The parts have been counted by the loader, each alone; this is the whole.
        var tally = try BodyTally(byteCountMax: request.byteCountMax, expectedByteCount: expectedByteCount)
        try tally.add(byteCount)
        return rest
    }

    /// Asks for the rest until it comes.
    ///
    /// - Throws: `error` where it does not; `CancellationError`.
    private mutating func resume(after error: FetchError) async throws {
        guard let request = point.request(request, from: byteCount) else { throw error }
        var cause = error
        while try await loader.wait(after: cause, of: request, &retryCount) {
            let answer: FetchResponse
            do {
                answer = try await loader.answer(to: request)
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
    }
}
