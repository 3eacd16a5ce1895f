package import CalotypeSupport
package import FoundationEssentials

/// Runs what reads files on threads that may block, for at most a while.
package struct FileReads: Sendable {
    private let pool: BlockingPool
    private let timeout: Duration

    /// Creates reads.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - timeout: How long one may take; 30 s unless set.
    package init(pool: BlockingPool, timeout: Duration = .seconds(30)) {
        (self.pool, self.timeout) = (pool, timeout)
    }

    /// The version of a file; `nil` where there is none.
    ///
    /// - Throws: ``FetchError/Code/timedOut``, or `CancellationError`.
    package func version(of url: URL) async throws -> FileVersion? {
        try await run(url.deletingLastPathComponent().absoluteString) { FileVersion(of: url) }
    }

    /// Runs a read.
    ///
    /// - Parameters:
    ///   - folder: Where the file is; where it holds too many threads already, nothing more is begun.
    ///   - work: The read.
    /// - Returns: What the read returns.
    /// - Throws: What the read throws, ``FetchError/Code/timedOut``, or `CancellationError`.
    func run<Value: Sendable>(
        _ folder: @autoclosure @escaping @Sendable () -> String,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let timeout = timeout
        return try await pool.run(
            atMost: timeout,
            kind: folder,
            failure: { reason -> any Error in
                switch reason {
                case .cancelled: CancellationError()
                case .timedOut:
                    FetchError(
                        .timedOut,
                        isRetryable: true,
                        detail: "the file could not be read within \(timeout)"
                    )
                case .refused:
                    FetchError(
                        .timedOut,
                        isRetryable: true,
                        detail: "reads of the same folder have not ended; the file was not tried"
                    )
                }
            },
            { () throws(any Error) in try work() }
        )
    }
}
