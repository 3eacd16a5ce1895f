package import CalotypeSupport

extension DecodeError {
    /// The error of work that was told to end.
    package init(_ reason: WorkStop.Reason, format: ImageFormat? = nil) {
        switch reason {
        case .cancelled:
            self.init(.cancelled, format: format, detail: "nobody waits for the image any more")
        case .timedOut:
            self.init(
                .timedOut,
                format: format,
                detail: "the decode took longer than DecodeLimits.durationMax allows; raise that for files "
                    + "that are trusted, or ask for a smaller image"
            )
        case .refused:
            self.init(
                .refused,
                format: format,
                detail: "files of this format hold too many threads beyond DecodeLimits.durationMax; ask "
                    + "again when one of them has ended, and see where they come from"
            )
        }
    }

    /// Throws where the work of the calling thread is to end: a look between two pieces of it.
    package static func checkStop(_ format: ImageFormat? = nil) throws(DecodeError) {
        if let reason = WorkStop.currentReason { throw DecodeError(reason, format: format) }
    }
}

extension BlockingPool {
    /// Runs a decode on a thread of the pool, which ends for its caller when its time is up or its task is
    /// cancelled, whatever the library does.
    ///
    /// - Parameters:
    ///   - duration: `DecodeLimits.durationMax`.
    ///   - format: What is decoded, as far as it is known; asked for only where a decode fails so.
    ///   - work: The decode.
    /// - Returns: What the decode returns.
    /// - Throws: What the decode throws, ``DecodeError`` with `timedOut` or `refused`, or
    ///   `CancellationError`.
    package func runDecode<Value: Sendable>(
        atMost duration: Duration,
        of format: @escaping @Sendable () -> ImageFormat?,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await run(
            atMost: duration,
            kind: { format()?.rawValue ?? "" },
            failure: { reason -> any Error in
                if reason == .cancelled { return CancellationError() }
                return DecodeError(reason, format: format())
            },
            { () throws(any Error) in try work() }
        )
    }
}
