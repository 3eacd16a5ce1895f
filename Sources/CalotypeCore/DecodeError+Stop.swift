package import CalotypeSupport

extension DecodeError {
    package init(_ reason: WorkStop.Reason, format: ImageFormat? = nil) {
        switch reason {
        case .cancelled:
            self.init(.cancelled, format: format, detail: "no task waits for the image any more")
        case .timedOut:
            self.init(
                .timedOut,
                format: format,
                detail: "the decode exceeded DecodeLimits.maxDuration; raise it for trusted files, "
                    + "or request a smaller image"
            )
        case .refused:
            self.init(
                .refused,
                format: format,
                detail: "decodes of this format hold too many threads beyond DecodeLimits.maxDuration; "
                    + "retry when one of them has ended, and check the origin of the files"
            )
        }
    }

    /// Throws if the work of the calling thread has to stop; called between its steps.
    package static func checkStop(_ format: ImageFormat? = nil) throws(DecodeError) {
        if let reason = WorkStop.currentReason { throw DecodeError(reason, format: format) }
    }
}

extension BlockingPool {
    /// Runs a decode on a thread of the pool; the caller is released when the time is up or its task is
    /// cancelled, whatever the library does.
    ///
    /// - Parameters:
    ///   - duration: `DecodeLimits.maxDuration`.
    ///   - format: Returns the format, if it is known; called only when a decode fails.
    ///   - work: The decode.
    /// - Returns: The result of the decode.
    /// - Throws: The error of the decode, ``DecodeError`` with `timedOut` or `refused`, or
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
