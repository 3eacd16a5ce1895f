import Calotype
import CalotypeSupport
import Foundation

/// Updates the progress bar, and stores failures of the stores until they are reported.
final class LoadObserver: PipelineObserver {
    private struct State: Sendable {
        var transfers: [URL: Transfer] = [:]
        var endedByteCount = 0
        var storeFailures: [URL: LoadError] = [:]
    }

    private struct Transfer: Sendable {
        var receivedByteCount: Int
        /// 0 if unknown.
        var expectedByteCount: Int

        /// The received fraction, 0...1.
        var share: Double {
            guard expectedByteCount > 0 else { return 0 }
            return min(1, Double(receivedByteCount) / Double(expectedByteCount))
        }
    }

    private let bar: ProgressBar
    private let state = Guarded(State())

    /// Shows the bar at once: an origin may take long to send the first bytes.
    init(_ bar: ProgressBar) {
        self.bar = bar
        bar.update { _ in }
    }

    /// Removes and returns the store failure of a URL, or `nil` if there was none.
    func takeStoreFailure(of url: URL) -> LoadError? {
        state.withLock { $0.storeFailures.removeValue(forKey: url) }
    }

    func didReceive(_ byteCount: Int, expected: Int?, of request: ImageRequest) {
        let sums = state.withLock { state in
            state.transfers[request.url] = Transfer(
                receivedByteCount: byteCount,
                expectedByteCount: expected ?? 0
            )
            return Self.sums(state)
        }
        bar.update { $0.show(sums) }
    }

    func didFailToStore(_ request: ImageRequest, error: LoadError) {
        state.withLock { state in
            // A failure to write says more than an earlier failure to read.
            guard error.stage == .store || state.storeFailures[request.url] == nil else { return }
            state.storeFailures[request.url] = error
        }
    }

    /// Counts a load as done, whether it succeeded or failed.
    func finished(_ url: URL?) {
        let sums = state.withLock { state in
            if let url, let transfer = state.transfers.removeValue(forKey: url) {
                state.endedByteCount += transfer.receivedByteCount
            }
            return Self.sums(state)
        }
        bar.update { line in
            line.doneCount += 1
            line.show(sums)
        }
    }

    /// The number of bytes received from other machines and from files.
    var receivedByteCount: Int { state.withLock { Self.sums($0).received } }

    func end() {
        bar.finish()
    }

    /// Returns the bytes received in all, and the progress of running loads as a number of loads.
    ///
    /// The loop is short: at most as many loads run as the command allows.
    private static func sums(_ state: State) -> (received: Int, runningShare: Double) {
        state.transfers.values.reduce((state.endedByteCount, 0.0)) { sums, transfer in
            (sums.0 + transfer.receivedByteCount, sums.1 + transfer.share)
        }
    }
}

extension ProgressLine {
    fileprivate mutating func show(_ sums: (received: Int, runningShare: Double)) {
        receivedByteCount = sums.received
        runningShare = sums.runningShare
    }
}
