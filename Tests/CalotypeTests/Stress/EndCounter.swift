import CalotypeTesting

@testable import Calotype

/// Counts how calls ended, as the pipeline tells it.
final class EndCounter: PipelineObserver {
    /// How many ended in each way.
    struct Counts: Hashable, Sendable {
        var successes = 0
        var failures = 0
        var cancellations = 0

        var all: Int { successes + failures + cancellations }
    }

    private let state = SharedState(Counts())

    var counts: Counts { state.value }

    func pipeline(didFinish request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {
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
    /// How many callers wait for shared work.
    var waiterCount: Int { variants.waiterCount + encodedVariants.waiterCount + originals.waiterCount }

    /// Waits until no shared work runs.
    func untilIdle() async {
        await variants.untilIdle()
        await encodedVariants.untilIdle()
        await originals.untilIdle()
    }
}
