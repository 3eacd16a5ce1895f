import CalotypeTesting

@testable package import Calotype

package final class EndCounter: PipelineObserver {
    package struct Counts: Hashable, Sendable {
        package var successes = 0
        package var failures = 0
        package var cancellations = 0

        package init(successes: Int = 0, failures: Int = 0, cancellations: Int = 0) {
            (self.successes, self.failures, self.cancellations) = (successes, failures, cancellations)
        }

        package var all: Int { successes + failures + cancellations }
    }

    private let state = SharedState(Counts())

    package init() {}

    package var counts: Counts { state.value }

    package func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {
        state.withLock { counts in
            switch outcome {
            case .success: counts.successes += 1
            case .failure: counts.failures += 1
            case .cancelled: counts.cancellations += 1
            }
        }
    }
}

extension ImagePipeline {
    package var waiterCount: Int {
        loads.variants.waiterCount + loads.encodedVariants.waiterCount + loads.originals.waiterCount
    }

    /// Waits until no shared work runs.
    package func untilIdle() async {
        await loads.variants.untilIdle()
        await loads.encodedVariants.untilIdle()
        await loads.originals.untilIdle()
    }
}
