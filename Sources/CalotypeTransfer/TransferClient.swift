import CalotypeSupport

#if HTTP
import CTransfer
#endif

/// Runs HTTP transfers with libcurl, on one thread of its own, which starts with the first of them and ends
/// when there have been none for a while.
///
/// Connections are kept between transfers and shared by all of a client. Without the package trait `HTTP`
/// there is no libcurl, and no transfer starts.
package final class TransferClient: Sendable {
    private let settings: TransferSettings
    private let mailbox = TransferMailbox()

    /// Creates a client; nothing starts before the first transfer.
    package init(_ settings: TransferSettings) {
        self.settings = settings
    }

    /// What runs may come to its end.
    deinit {
        mailbox.post(.close(cutsOff: false))
    }

    /// Starts a transfer; how it goes is asked of what is returned.
    package func start(_ request: TransferRequest) -> HTTPTransfer {
        let transfer = HTTPTransfer(request, mailbox)
        switch mailbox.post(.start(transfer.channel)) {
        case .taken: break
        case .needsThread: startThread()
        case .refused: _ = transfer.channel.lay(.init(end: .failure(TransferError(.closed))))
        }
        return transfer
    }

    /// Closes the connections when the last transfer has ended.
    ///
    /// - Parameter cutsOff: Ends transfers that run, and those that are started later, with
    ///   ``TransferError/Kind/closed``.
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
    /// Whether a text has certificates in PEM form, each of which can be read.
    package static func readsTrustRoots(_ pem: [UInt8]) -> Bool {
        #if HTTP
        unsafe pem.withUnsafeBytes { bytes in
            unsafe calotype_transfer_reads_trust_roots(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                bytes.count
            )
        }
        #else
        // Nothing is loaded that could be trusted for them.
        true
        #endif
    }
}
