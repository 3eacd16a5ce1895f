import CalotypeTransfer
import FoundationEssentials

extension FetchTransaction {
    /// What a transfer took.
    ///
    /// - Parameters:
    ///   - hop: What it was for.
    ///   - status: The status of the answer, where one came.
    ///   - nameLookup: How long the look-up of the name took.
    ///   - timings: What was measured.
    init(_ hop: HTTPHop, status: Int?, nameLookup: Duration, _ timings: TransferTimings) {
        self.init(address: hop.url.textForLogs)
        self.status = status
        self.nameLookup = nameLookup
        version = timings.version
        isReused = timings.connect == nil && timings.wait != nil
        remoteAddress = timings.address
        (connect, secure, wait, total) = (timings.connect, timings.secure, timings.wait, timings.total)
        body = timings.wait.map { max(.zero, timings.total - timings.connected - $0) } ?? .zero
        (sentByteCount, receivedByteCount) = (timings.sentByteCount, timings.receivedByteCount)
    }
}
