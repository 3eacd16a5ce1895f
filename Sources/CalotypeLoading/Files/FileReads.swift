package import CalotypeSupport
package import FoundationEssentials

/// Runs file reads on threads that may block, with a time limit.
package struct FileReads: Sendable {
    private let pool: BlockingPool
    private let timeout: Duration

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - timeout: The most time for one read; 30 s unless set.
    package init(pool: BlockingPool, timeout: Duration = .seconds(30)) {
        (self.pool, self.timeout) = (pool, timeout)
    }

    /// Returns the version of a file; `nil` if it does not exist.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - limit: The time limit of the caller, with the wait for a thread; `nil` for none.
    /// - Returns: The version.
    /// - Throws: ``FetchError/Code/timedOut``, or `CancellationError`.
    package func version(of url: URL, within limit: Duration? = nil) async throws -> FileVersion? {
        try await run(url.deletingLastPathComponent().absoluteString, within: limit) { FileVersion(of: url) }
    }

    /// Runs a read.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file; if too many threads are stuck in it, no further read starts.
    ///   - limit: The time limit of the caller, with the wait for a thread; `nil` for none.
    ///   - work: The read.
    /// - Returns: The result of the read.
    /// - Throws: The error of the read, ``FetchError/Code/timedOut``, or `CancellationError`.
    func run<Value: Sendable>(
        _ folder: @autoclosure @escaping @Sendable () -> String,
        within limit: Duration? = nil,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let timeout = timeout
        return try await pool.run(
            atMost: timeout,
            within: limit,
            kind: folder,
            failure: { reason -> any Error in
                switch reason {
                case .cancelled: CancellationError()
                case .timedOut:
                    FetchError(
                        .timedOut,
                        isRetryable: true,
                        detail: "the file could not be read within \(min(timeout, limit ?? timeout))"
                    )
                case .refused:
                    FetchError(
                        .timedOut,
                        isRetryable: true,
                        detail: "earlier reads in the same folder are stuck; the file was not tried"
                    )
                }
            },
            { () throws(any Error) in try work() }
        )
    }
}
