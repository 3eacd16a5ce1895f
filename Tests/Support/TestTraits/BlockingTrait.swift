import CalotypeSupport
import Glibc
public import Testing

/// Runs tests that block or compute for long on threads of their own.
///
/// The cooperative pool has a thread a core. A test that holds one of them for seconds stops every other
/// test, and whatever answers them: an origin in this process then looks like a server that does not respond.
public struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate static let computing = PoolExecutor(width: 4)
    fileprivate static let waiting = PoolExecutor(width: 8)

    private let executor: PoolExecutor

    fileprivate init(_ executor: PoolExecutor) {
        self.executor = executor
    }

    /// Whether the tests of a suite have it too: they do.
    public var isRecursive: Bool { true }

    /// Runs the test with a preference for the threads of its own.
    ///
    /// - Throws: What the test throws.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(executor) { try await function() }
    }
}

extension Trait where Self == BlockingTrait {
    /// For tests that block or compute for long.
    public static var blocking: BlockingTrait { BlockingTrait(BlockingTrait.computing) }

    /// For tests that block now and then, as until a server has started: they do not queue behind those that
    /// compute.
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
            // Whoever waits for an answer goes first; on Linux this is the priority of the thread alone.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
