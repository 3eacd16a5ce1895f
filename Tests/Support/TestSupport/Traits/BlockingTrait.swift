import CalotypeSupport
import Glibc
public import Testing

/// Runs tests that block or compute for long on separate threads.
///
/// The cooperative pool has one thread per core. A test that holds one of them for seconds stops every other
/// test, and in-process origins too, which then look like servers that do not respond.
public struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate static let computing = PoolExecutor(width: 4)
    fileprivate static let waiting = PoolExecutor(width: 8)

    private let executor: PoolExecutor

    fileprivate init(_ executor: PoolExecutor) {
        self.executor = executor
    }

    /// True: the trait applies to the tests of a suite.
    public var isRecursive: Bool { true }

    /// Runs the test with a preference for the separate threads when the gate admits it.
    ///
    /// - Throws: The error of the test.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let part = TestGate.Part.target(of: test)
        try await GateTrait.gate.run(part, name: test.name, atMost: Soak.timeLimit) {
            try await withTaskExecutorPreference(executor) { try await function() }
        }
    }
}

extension Trait where Self == BlockingTrait {
    /// For tests that block or compute for long.
    public static var blocking: BlockingTrait { BlockingTrait(BlockingTrait.computing) }

    /// For tests that block occasionally, for example until a server has started: they do not queue behind
    /// tests that compute.
    public static var waiting: BlockingTrait { BlockingTrait(BlockingTrait.waiting) }
}

/// Runs jobs on a pool of threads that may block.
private final class PoolExecutor: TaskExecutor {
    private let pool: BlockingPool

    init(width: Int) {
        pool = BlockingPool(width: width)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.enqueue {
            // Waiting tests go first; on Linux this sets the priority of the thread only.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
