import CalotypeCore
import CalotypeSupport
import Foundation

extension BlockingPool {
    /// Decodes bytes on a thread that may block, as long as the limits allow and nobody interrupts it.
    ///
    /// - Throws: What the decode throws, `DecodeError` with `timedOut`, or `CancellationError`.
    func runDecode<Value: Sendable>(
        of data: Data,
        _ limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await runDecode(atMost: limits.durationMax, of: { ImageFormat(sniffing: data) }, work)
    }
}
