import CalotypeSupport
package import FoundationEssentials

/// A request and its answer, between the client's thread, which brings it, and the one who reads.
///
/// The reader takes what there is and waits for more; what nobody has read yet is bounded. Dropping the
/// transfer, or cancelling a task that waits for it, ends it and closes its connection.
package final class HTTPTransfer: Sendable {
    /// What the client's thread and the reader share.
    let channel: TransferChannel
    private let mailbox: TransferMailbox

    init(_ request: TransferRequest, _ mailbox: TransferMailbox) {
        channel = TransferChannel(request)
        self.mailbox = mailbox
    }

    deinit {
        cancel()
    }

    /// What was measured, once it has ended; `nil` before, and where it was cancelled.
    package var timings: TransferTimings? { channel.timings }

    /// The cookies of the request as the answer has changed them, each a line in Netscape's format, once
    /// its head is there; `nil` where it sets none.
    package var cookies: [CookieLine]? { channel.cookies }

    /// The lines of the head as they came, once it is whole.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func head() async throws -> Data {
        while true {
            if let head = try channel.head() { return head }
            try await change()
        }
    }

    /// The bytes that have come since the last call, as soon as there are any; `nil` at the end.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func nextBytes() async throws -> Data? {
        while true {
            switch try channel.takeBytes() {
            case .bytes(let bytes, let wasPaused):
                if wasPaused { mailbox.post(.resume(channel)) }
                return bytes
            case .end: return nil
            case .nothing: try await change()
            }
        }
    }

    /// The whole body, or what is left of it, in one piece where the client can.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func allBytes() async throws -> Data {
        if channel.wantWhole() { mailbox.post(.resume(channel)) }
        while true {
            if let bytes = try channel.takeWhole() { return bytes }
            try await change()
        }
    }

    /// Reads what is left and throws it away, so that the connection can be used again; where that takes more
    /// bytes or time, the connection is closed.
    package func discard(atMost byteCount: Int, within limit: Duration) async {
        channel.discard()
        mailbox.post(.discard(channel, byteCountMax: byteCount, limit: limit))
        do {
            while try channel.takeWhole() == nil { try await change() }
        } catch {
            cancel()
        }
    }

    /// Ends the transfer; does nothing where it has ended.
    package func cancel() {
        if channel.cancel() { mailbox.post(.cancel(channel)) }
    }

    /// Waits until something has changed, unless something has since the last look.
    private func change() async throws {
        await withTaskCancellationHandler {
            await handedOver { channel.wait($0) }
        } onCancel: {
            cancel()
        }
        if Task.isCancelled {
            cancel()
            throw CancellationError()
        }
    }
}
