/// Counts the bytes of a body against its announced size and the most it may have.
struct BodyTally {
    let byteCountMax: Int
    let expectedByteCount: Int?
    private(set) var byteCount = 0

    /// Starts at zero bytes.
    ///
    /// - Throws: `bodyTooLarge` where already the announced size is more than allowed.
    init(byteCountMax: Int, expectedByteCount: Int?) throws(FetchError) {
        self.byteCountMax = byteCountMax
        self.expectedByteCount = expectedByteCount
        if let expectedByteCount, expectedByteCount > byteCountMax {
            throw FetchError(
                .bodyTooLarge,
                detail: "\(expectedByteCount) bytes are announced, \(byteCountMax) are allowed"
            )
        }
    }

    /// Counts a chunk.
    mutating func add(_ chunkByteCount: Int) throws(FetchError) {
        byteCount += chunkByteCount
        if let expectedByteCount, byteCount > expectedByteCount {
            throw FetchError(
                .lengthMismatch,
                detail: "more than the announced \(expectedByteCount) bytes came"
            )
        }
        if byteCount > byteCountMax {
            throw FetchError(.bodyTooLarge, detail: "more than the allowed \(byteCountMax) bytes came")
        }
    }

    /// Checks the sum at the end of the body.
    func finish() throws(FetchError) {
        if let expectedByteCount, byteCount < expectedByteCount {
            throw .short(expectedByteCount)
        }
    }
}

extension FetchError {
    /// The body ended too early.
    ///
    /// Another try may succeed: most often a server was restarted or a file replaced.
    static func short(_ expectedByteCount: Int) -> FetchError {
        FetchError(
            .lengthMismatch,
            isRetryable: true,
            detail: "the body ended before its announced \(expectedByteCount) bytes"
        )
    }
}
