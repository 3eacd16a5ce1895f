import Glibc

/// Threads of our own for work that blocks: files and codecs.
///
/// The cooperative pool is only as wide as the machine has cores, so a task that blocks there stops
/// everything else. Threads start when they are first needed, at most `width` of them; work starts in the
/// order it came. The queue is not bounded here: each waiting entry is a suspended caller, and callers are
/// bounded above.
package final class BlockingPool: Sendable {
    /// The greatest number of pieces of work that run at once.
    package let width: Int

    private let queue: WorkQueue

    /// Creates a pool; no thread starts before the first piece of work.
    ///
    /// - Precondition: `width` is at least 1.
    package init(width: Int) {
        precondition(width >= 1, "a pool needs at least one thread")
        self.width = width
        queue = WorkQueue(threadCountMax: width)
    }

    deinit {
        queue.close()
    }

    /// Runs `work` on a thread of the pool and returns what it returns or throws.
    ///
    /// Work that has been handed over always runs, also when the calling task is cancelled: what it started
    /// must be finished or undone by itself.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await handedOver { handOver in
            queue.append { handOver(Result { () throws(Failure) in try work() }) }
        }
        return try outcome.get()
    }

    /// Runs `work` on a thread of the pool without waiting for it.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.append(work)
    }
}

extension BlockingPool {
    /// The number of cores this process may use; at least 1.
    package static var coreCount: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
