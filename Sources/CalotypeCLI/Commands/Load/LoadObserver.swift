import Calotype
import CalotypeSupport
import Foundation

/// Feeds the progress bar, and keeps what went wrong with the stores until it is told.
final class LoadObserver: PipelineObserver {
    private struct State: Sendable {
        var transfers: [URL: Transfer] = [:]
        var endedByteCount = 0
        var storeFailures: [URL: LoadError] = [:]
    }

    private struct Transfer: Sendable {
        var receivedByteCount: Int
        /// 0 where nobody knows.
        var expectedByteCount: Int

        /// How much of it is there, 0...1.
        var share: Double {
            guard expectedByteCount > 0 else { return 0 }
            return min(1, Double(receivedByteCount) / Double(expectedByteCount))
        }
    }

    private let bar: ProgressBar
    private let state = Guarded(State())

    /// Shows the bar: an origin may take long to send the first bytes.
    init(_ bar: ProgressBar) {
        self.bar = bar
        bar.update { _ in }
    }

    /// What went wrong with a store while this URL was loaded, once; `nil` where nothing did.
    func takeStoreFailure(of url: URL) -> LoadError? {
        state.withLock { $0.storeFailures.removeValue(forKey: url) }
    }

    func pipeline(didReceive byteCount: Int, expected: Int?, of request: ImageRequest) {
        let sums = state.withLock { state in
            state.transfers[request.url] = Transfer(
                receivedByteCount: byteCount,
                expectedByteCount: expected ?? 0
            )
            return Self.sums(state)
        }
        bar.update { $0.show(sums) }
    }

    func pipeline(didFailToStore request: ImageRequest, error: LoadError) {
        state.withLock { state in
            // That the bytes were not kept says more than that they could not be looked for before.
            guard error.stage == .store || state.storeFailures[request.url] == nil else { return }
            state.storeFailures[request.url] = error
        }
    }

    /// Notes that a load has ended, well or not.
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

    /// The bytes that have come in all, from other machines and from files.
    var receivedByteCount: Int { state.withLock { Self.sums($0).received } }

    /// Takes the progress bar away.
    func end() {
        bar.finish()
    }

    /// Bytes received of all loads, and how much of the running ones is done, as a number of loads.
    ///
    /// At most as many loads run as the command allows, so this is short.
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
