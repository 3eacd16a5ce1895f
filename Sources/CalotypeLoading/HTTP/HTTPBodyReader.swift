import CalotypeTransfer
import FoundationEssentials

/// Gives the bytes of a body as they come, and gives its place in the queue back as soon as there are no
/// more.
final class HTTPBodyReader: Sendable {
    private let transfer: HTTPTransfer
    private let permit: AdmissionGate.Permit
    private let deadline: FetchDeadline
    private let expectedByteCount: Int?
    private let byteCountMax: Int
    private let host: String
    private let onEnd: @Sendable (HTTPTransfer) -> Void

    init(
        _ transfer: HTTPTransfer,
        _ permit: AdmissionGate.Permit,
        _ deadline: FetchDeadline,
        expectedByteCount: Int?,
        byteCountMax: Int,
        host: String,
        onEnd: @escaping @Sendable (HTTPTransfer) -> Void
    ) {
        self.onEnd = onEnd
        self.transfer = transfer
        self.permit = permit
        self.deadline = deadline
        self.expectedByteCount = expectedByteCount
        self.byteCountMax = byteCountMax
        self.host = host
    }

    /// The next bytes, or `nil` at the end.
    func next() async throws -> Data? {
        try await read { transfer throws in try await transfer.nextBytes() }
    }

    /// All that is left.
    func rest() async throws -> Data {
        let bytes = try await read { transfer throws in try await transfer.allBytes() }
        end()
        return bytes ?? Data()
    }

    /// Ends the transfer where it has not come to its end.
    func drop() {
        transfer.cancel()
        permit.end()
    }

    /// The chunks; dropping the iterator ends the transfer, also while the body is held.
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
            // A silent origin is the idle timeout's; this ends one that sends a byte now and then.
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

    /// Gives the place back, and tells what it took, once.
    private func end() {
        guard !permit.hasEnded else { return }
        permit.end()
        onEnd(transfer)
    }

    private func failure(_ error: TransferError) -> FetchError {
        switch error.kind {
        case .short: .short(expectedByteCount ?? 0)
        case .bodyTooLarge:
            FetchError(.bodyTooLarge, detail: "more than the allowed \(byteCountMax) bytes came")
        default: FetchError(error, host: host)
        }
    }
}
