import CalotypeTransfer
import FoundationEssentials

extension FetchTransaction {
    /// Creates the transaction of a transfer.
    ///
    /// - Parameters:
    ///   - hop: The request.
    ///   - status: The status of the response, if there was one.
    ///   - nameLookup: The time of the host name lookup.
    ///   - timings: The measurements.
    init(_ hop: HTTPHop, status: Int?, nameLookup: Duration, _ timings: TransferTimings) {
        self.init(address: hop.url.redactedText)
        self.status = status
        self.nameLookup = nameLookup
        version = timings.version
        isReused = timings.connect == nil && timings.wait != nil
        remoteAddress = timings.address
        (connect, tlsHandshake, wait, total) = (
            timings.connect, timings.tlsHandshake, timings.wait, timings.total
        )
        body = timings.wait.map { max(.zero, timings.total - timings.connected - $0) } ?? .zero
        (sentByteCount, receivedByteCount) = (timings.sentByteCount, timings.receivedByteCount)
    }
}
