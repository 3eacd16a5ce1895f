/// Enforces the limit and the announced size of a body, whose bytes it counts.
struct BodyLimit {
    let maxByteCount: Int
    let expectedByteCount: Int?
    private(set) var byteCount = 0

    /// Starts at zero bytes.
    ///
    /// - Throws: `bodyTooLarge` if the announced size already exceeds the limit.
    init(maxByteCount: Int, expectedByteCount: Int?) throws(FetchError) {
        self.maxByteCount = maxByteCount
        self.expectedByteCount = expectedByteCount
        if let expectedByteCount, expectedByteCount > maxByteCount {
            throw FetchError(
                .bodyTooLarge,
                detail: "the announced \(expectedByteCount) bytes exceed the allowed \(maxByteCount)"
            )
        }
    }

    mutating func add(_ chunkByteCount: Int) throws(FetchError) {
        byteCount += chunkByteCount
        if let expectedByteCount, byteCount > expectedByteCount {
            throw FetchError(
                .lengthMismatch,
                detail: "received more than the announced \(expectedByteCount) bytes"
            )
        }
        if byteCount > maxByteCount {
            throw FetchError(.bodyTooLarge, detail: "received more than the allowed \(maxByteCount) bytes")
        }
    }

    /// Checks the total at the end of the body.
    func finish() throws(FetchError) {
        if let expectedByteCount, byteCount < expectedByteCount {
            throw .short(expectedByteCount)
        }
    }
}

extension FetchError {
    /// Creates the error of a body that ended too early.
    ///
    /// A retry may succeed: most often a server was restarted or a file replaced.
    static func short(_ expectedByteCount: Int) -> FetchError {
        FetchError(
            .lengthMismatch,
            isRetryable: true,
            detail: "the body ended before its announced \(expectedByteCount) bytes"
        )
    }
}
