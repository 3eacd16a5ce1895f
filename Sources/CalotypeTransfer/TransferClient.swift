import CalotypeSupport

#if HTTP
import CTransfer
#endif

/// Runs HTTP transfers with libcurl on one thread, which starts with the first transfer and ends after an
/// idle time.
///
/// Idle connections are reused and shared by all transfers of a client. Without the package trait `HTTP`
/// there is no libcurl, and transfers do not start.
package final class TransferClient: Sendable {
    private let settings: TransferSettings
    private let mailbox = TransferMailbox()

    /// Creates a client; its thread starts with the first transfer.
    package init(_ settings: TransferSettings) {
        self.settings = settings
    }

    /// Lets running transfers finish.
    deinit {
        mailbox.post(.close(cutsOff: false))
    }

    /// Starts a transfer; the returned object reports its progress.
    package func start(_ request: TransferRequest) -> HTTPTransfer {
        let transfer = HTTPTransfer(request, mailbox)
        switch mailbox.post(.start(transfer.channel)) {
        case .taken: break
        case .needsThread: startThread()
        case .refused: _ = transfer.channel.lay(.init(end: .failure(TransferError(.closed))))
        }
        return transfer
    }

    /// Closes the connections once the last transfer has ended.
    ///
    /// - Parameter cutsOff: Whether to end running and later transfers with ``TransferError/Kind/closed``.
    package func close(cutsOff: Bool) {
        mailbox.post(.close(cutsOff: cutsOff))
    }

    private func startThread() {
        #if HTTP
        let (settings, mailbox) = (settings, mailbox)
        let isStarted = SystemThread.start(name: "calotype-http") {
            TransferLoop(settings, mailbox).run()
        }
        guard !isStarted else { return }
        #endif
        for case .start(let channel) in mailbox.refuseThread() {
            _ = channel.lay(.init(end: .failure(TransferError(.noThread))))
        }
    }
}

extension TransferSettings {
    /// Returns whether a text has certificates in PEM format, all of them valid.
    package static func readsTrustRoots(_ pem: [UInt8]) -> Bool {
        #if HTTP
        unsafe pem.withUnsafeBytes { bytes in
            unsafe calotype_transfer_reads_trust_roots(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                bytes.count
            )
        }
        #else
        // Without HTTP, the certificates are not used.
        true
        #endif
    }
}
