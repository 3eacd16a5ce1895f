import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated) struct PipelineMonitorTests {
    private let changes = SharedState<[PipelineMonitor.Change]>([])

    private func fail(_ watch: PipelineMonitor, _ stage: LoadError.Stage) {
        let error = LoadError(stage: stage, underlying: FetchError(.timedOut, detail: "no space left"))
        watch.didFailToStore(ImageRequest(url: URL(filePath: "/")), error: error)
    }

    private func succeed(_ watch: PipelineMonitor, _ stage: LoadError.Stage) {
        let request = ImageRequest(url: URL(filePath: "/"))
        watch.didFinish(stage, of: request, outcome: StageOutcome(), elapsed: .zero)
    }

    @Test func `a failing store is reported once, and its recovery once`() {
        let watch = PipelineMonitor { [changes] change in changes.withLock { $0.append(change) } }
        for _ in 0..<5 { fail(watch, .store) }
        succeed(watch, .cache)
        fail(watch, .cache)
        for _ in 0..<5 {
            for _ in 0..<19 { succeed(watch, .store) }
            fail(watch, .store)
        }
        for _ in 0..<22 { succeed(watch, .store) }
        fail(watch, .store)
        let reason = "timedOut: no space left"
        #expect(
            changes.value == [
                .fails(operation: "write", reason: reason), .fails(operation: "read", reason: reason),
                .works(operation: "write"), .fails(operation: "write", reason: reason),
            ]
        )
        #expect(watch.counts.storeFailures == ["write": 11, "read": 1])
    }

    @Test func `a hit in another store does not end the failure of the first`() {
        let watch = PipelineMonitor { [changes] change in changes.withLock { $0.append(change) } }
        var outcome = StageOutcome()
        outcome.storeFailureCount = 1
        let request = ImageRequest(url: URL(filePath: "/"))
        for _ in 0..<3 {
            fail(watch, .cache)
            watch.didFinish(.cache, of: request, outcome: outcome, elapsed: .zero)
        }
        #expect(changes.value == [.fails(operation: "read", reason: "timedOut: no space left")])
    }

    @Test func `loads from origins are counted by their outcome`() {
        let watch = PipelineMonitor()
        for _ in 0..<3 { succeed(watch, .load) }
        let failure = LoadError(stage: .load, underlying: FetchError(.timedOut, detail: ""))
        watch.didFinish(
            .load,
            of: ImageRequest(url: URL(filePath: "/")),
            outcome: StageOutcome(failure: failure),
            elapsed: .zero
        )
        #expect(watch.counts.sourceLoads == ["loaded": 3, "failed": 1])
        #expect(watch.counts.storeFailures.isEmpty)
    }
}
