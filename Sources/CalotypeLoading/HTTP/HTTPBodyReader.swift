import CalotypeTransfer
import FoundationEssentials

/// Reads the bytes of a body as they arrive, and returns the permit as soon as the body has ended.
final class HTTPBodyReader: Sendable {
    private let transfer: HTTPTransfer
    private let permit: AdmissionGate.Permit
    private let deadline: FetchDeadline
    private let expectedByteCount: Int?
    private let maxByteCount: Int
    private let host: String
    private let redact: @Sendable (String) -> String
    private let onEnd: @Sendable (HTTPTransfer) -> Void

    init(
        _ transfer: HTTPTransfer,
        _ permit: AdmissionGate.Permit,
        _ deadline: FetchDeadline,
        expectedByteCount: Int?,
        maxByteCount: Int,
        host: String,
        redact: @escaping @Sendable (String) -> String,
        onEnd: @escaping @Sendable (HTTPTransfer) -> Void
    ) {
        self.onEnd = onEnd
        self.transfer = transfer
        self.permit = permit
        self.deadline = deadline
        self.expectedByteCount = expectedByteCount
        self.maxByteCount = maxByteCount
        self.host = host
        self.redact = redact
    }

    /// Returns the next bytes, or `nil` at the end.
    func next() async throws -> Data? {
        try await read { transfer throws in try await transfer.nextBytes() }
    }

    func rest() async throws -> Data {
        let bytes = try await read { transfer throws in try await transfer.allBytes() }
        end()
        return bytes ?? Data()
    }

    /// Cancels the transfer if it has not ended.
    func drop() {
        transfer.cancel()
        permit.end()
    }

    /// An iterator over the chunks; releasing it cancels the transfer, even while the body is referenced.
    var iterator: FetchBody.Iterator {
        let lease = Lease(reader: self)
        return FetchBody.Iterator { try await lease.reader.next() }
    }

    private final class Lease: Sendable {
        let reader: HTTPBodyReader

        init(reader: HTTPBodyReader) { self.reader = reader }

        deinit { reader.drop() }
    }

    private func read(
        _ read: (HTTPTransfer) async throws -> Data?
    ) async throws -> Data? {
        guard !permit.hasEnded else { return nil }
        do {
            try Task.checkCancellation()
            // The idle timeout covers silent origins; this stops one that sends a byte now and then.
            _ = try deadline.remaining()
            let bytes = try await read(transfer)
            if bytes == nil { end() }
            return bytes
        } catch {
            transfer.cancel()
            end()
            guard let error = error as? TransferError else { throw error }
            throw failure(error)
        }
    }

    /// Returns the permit and reports the transfer, once.
    private func end() {
        guard !permit.hasEnded else { return }
        permit.end()
        onEnd(transfer)
    }

    private func failure(_ error: TransferError) -> FetchError {
        switch error.kind {
        case .short: .short(expectedByteCount ?? 0)
        case .bodyTooLarge:
            FetchError(.bodyTooLarge, detail: "received more than the allowed \(maxByteCount) bytes")
        default: deadline.failure(TransferError(error.kind, redact(error.message)), host: host)
        }
    }
}
