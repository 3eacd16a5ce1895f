import CalotypeCore
import CalotypeSupport
import Foundation

extension BlockingPool {
    /// The threads of the command for codecs and for calls about files, which end without another program.
    ///
    /// Its work never waits for other work of the pool. Reads and writes that may wait for another program,
    /// such as those of pipes, have pools of their own.
    static let command = BlockingPool(width: coreCount)

    /// Decodes bytes on a thread that may block, until the time limit or a cancellation.
    ///
    /// - Throws: The error of the decode, `DecodeError` with `timedOut`, or `CancellationError`.
    func runDecode<Value: Sendable>(
        of data: Data,
        _ limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await runDecode(atMost: limits.maxDuration, of: { ImageFormat(sniffing: data) }, work)
    }
}
