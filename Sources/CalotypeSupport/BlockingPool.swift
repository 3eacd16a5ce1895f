/// Threads of our own for work that blocks: files and codecs.
///
/// The cooperative pool is only as wide as the machine has cores, so a task that blocks there stops
/// everything else. Threads start when they are first needed, at most `width` of them; they take no signals
/// of the program. Urgent work goes ahead of ordinary work that has not started; otherwise work starts in the
/// order it came. The queue is not bounded here: each waiting entry is a suspended caller, and callers are
/// bounded above.
package final class BlockingPool: Sendable {
    /// Which work goes first.
    package enum Urgency: Hashable, Sendable {
        /// Somebody waits for it: ahead of ordinary work, of which every now and then a piece still has its
        /// turn.
        case urgent
        case ordinary
    }

    /// Starts a thread of a name that runs a closure; says whether the system had one to give.
    package typealias ThreadStart =
        @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// The greatest number of pieces of work that run at once.
    package let width: Int

    let queue: WorkQueue

    /// Creates a pool; no thread starts before the first piece of work.
    ///
    /// - Parameters:
    ///   - width: The greatest number of pieces of work that run at once.
    ///   - name: What debuggers and process listings call its threads, after `calotype-`; at most 6 bytes of
    ///     it are shown.
    ///   - keepsThreadForUrgent: Whether ordinary work leaves one thread to urgent work, which then never
    ///     waits for ordinary work to end; no by default, and without effect where `width` is 1.
    ///   - startThread: What starts its threads; the system by default.
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
            threadCountMax: width,
            ordinaryMax: keepsThreadForUrgent ? max(1, width - 1) : width,
            threadName: "calotype-" + name,
            startThread: startThread
        )
    }

    deinit {
        queue.close()
    }

    /// Runs `work` on a thread of the pool and returns what it returns or throws.
    ///
    /// Work that has been handed over always runs, also when the calling task is cancelled: what it started
    /// must be finished or undone by itself.
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
