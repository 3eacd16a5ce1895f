/// Threads for blocking work: files and codecs.
///
/// The cooperative pool is only as wide as the machine has cores, so a task that blocks there stops
/// everything else. Threads start when they are first needed, at most `width` of them, and block the
/// program's signals. Urgent work precedes ordinary work that has not started; otherwise work starts in order
/// of arrival. The queue is not bounded here: each waiting entry is a suspended caller, and callers are
/// bounded by the layers above.
package final class BlockingPool: Sendable {
    /// The priority of work.
    package enum Urgency: Hashable, Sendable {
        /// Precedes ordinary work; when both wait, ordinary work still gets a turn now and then.
        case urgent
        case ordinary
    }

    /// Starts a named thread that runs a closure; returns whether the system had a thread.
    package typealias ThreadStart =
        @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// The maximum number of work items that run at once.
    package let width: Int

    let queue: WorkQueue

    /// Creates a pool; no thread starts before the first work item.
    ///
    /// - Parameters:
    ///   - width: The maximum number of work items that run at once.
    ///   - name: The thread name in debuggers and process listings, after `calotype-`; at most 6 bytes are
    ///     shown.
    ///   - keepsThreadForUrgent: Reserves one thread for urgent work, which then never waits for ordinary
    ///     work to end; false by default, and without effect if `width` is 1.
    ///   - startThread: Starts the threads; by default threads of the system.
    /// - Precondition: `width` is at least 1.
    package init(
        width: Int,
        name: String = "pool",
        keepsThreadForUrgent: Bool = false,
        startThread: @escaping ThreadStart = SystemThread.start
    ) {
        precondition(width >= 1, "a pool needs at least one thread")
        self.width = width
        queue = WorkQueue(
            maxThreadCount: width,
            maxOrdinary: keepsThreadForUrgent ? max(1, width - 1) : width,
            threadName: "calotype-" + name,
            startThread: startThread
        )
    }

    deinit {
        queue.close()
    }

    /// Runs `work` on a thread of the pool and returns its result or throws its error.
    ///
    /// Work that has been enqueued always runs, even when the calling task is cancelled: the work itself has
    /// to finish or undo what it started.
    package func run<Value: Sendable, Failure: Error>(
        _ urgency: Urgency = .ordinary,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await handedOver { handOver in
            queue.append({ _ in handOver(Result { () throws(Failure) in try work() }) }, urgency)
        }
        return try outcome.get()
    }

    /// Runs `work` on a thread of the pool without waiting for it.
    package func enqueue(_ urgency: Urgency = .ordinary, _ work: @escaping @Sendable () -> Void) {
        queue.append({ _ in work() }, urgency)
    }
}

extension BlockingPool {
    /// The number of processors that this process may keep busy at once; at least 1.
    ///
    /// Read once; a change is not noticed.
    package static var coreCount: Int { Processors.count }
}
