import CalotypeCore
import CalotypeSupport
import Foundation

extension BlockingPool {
    /// Decodes bytes on a thread that may block, until the time limit or a cancellation.
    ///
    /// - Throws: The error of the decode, `DecodeError` with `timedOut`, or `CancellationError`.
    func runDecode<Value: Sendable>(
        of data: Data,
        _ limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await runDecode(atMost: limits.durationMax, of: { ImageFormat(sniffing: data) }, work)
    }
}
