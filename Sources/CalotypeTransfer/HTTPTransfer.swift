import CalotypeSupport
package import FoundationEssentials

/// A request and its response, shared by the client's thread, which receives it, and a reader.
///
/// The reader takes the available data and waits for more; the amount of unread data is bounded. Releasing
/// the transfer, or cancelling a task that waits for it, cancels it and closes its connection.
package final class HTTPTransfer: Sendable {
    /// The state shared by the client's thread and the reader.
    let channel: TransferChannel
    private let mailbox: TransferMailbox

    init(_ request: TransferRequest, _ mailbox: TransferMailbox) {
        channel = TransferChannel(request)
        self.mailbox = mailbox
    }

    deinit {
        cancel()
    }

    /// The measurements, once it has ended; `nil` before, and if it was cancelled.
    package var timings: TransferTimings? { channel.timings }

    /// The cookies of the request as changed by the response, each a line in Netscape's format, once its
    /// header is there; `nil` if it sets none.
    package var cookies: [CookieLine]? { channel.cookies }

    /// Returns the lines of the header as received, once it is complete.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func head() async throws -> Data {
        while true {
            if let head = try channel.head() { return head }
            try await change()
        }
    }

    /// Returns the bytes received since the last call, as soon as there are any; `nil` at the end.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func nextBytes() async throws -> Data? {
        while true {
            switch try channel.takeBytes() {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .nothing(let isPaused):
                // Not sooner: the reader may have waited until it could hold more.
                if isPaused { mailbox.post(.resume(channel)) }
                try await change()
            }
        }
    }

    /// Returns the whole body, or the rest of it, at once.
    ///
    /// - Throws: ``TransferError`` or `CancellationError`.
    package func allBytes() async throws -> Data {
        if channel.wantWhole() { mailbox.post(.resume(channel)) }
        while true {
            if let bytes = try channel.takeWhole() { return bytes }
            try await change()
        }
    }

    /// Reads and drops the rest, so that the connection can be reused; closes the connection if that takes
    /// more bytes or time.
    package func discard(atMost byteCount: Int, within limit: Duration) async {
        channel.discard()
        mailbox.post(.discard(channel, maxByteCount: byteCount, limit: limit))
        do {
            while try channel.takeWhole() == nil { try await change() }
        } catch {
            cancel()
        }
    }

    /// Cancels the transfer; no effect if it has ended.
    package func cancel() {
        if channel.cancel() { mailbox.post(.cancel(channel)) }
    }

    /// Waits for a change, unless there has been one since the last call.
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
