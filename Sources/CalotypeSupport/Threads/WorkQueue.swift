/// A queue of closures with the threads that drain it.
///
/// The threads retain the queue; the queue ends when ``close()`` has been called and everything in it has
/// run.
///
/// If the system refuses a thread, work waits for the existing threads, and each further item requests a
/// thread again. Without any thread, the work runs on the cooperative pool: one item after the other, each as
/// a task that requests a thread first. Blocking there briefly is bad, but waiting for a thread that may
/// never come is worse. Work never runs on the caller, which may hold a lock or be such work itself.
// Unchecked because the compiler does not know the condition, under whose lock alone the state is accessed.
@safe final class WorkQueue: @unchecked Sendable {
    /// Receives its turn; `nil` if it does not run on a thread of the queue.
    typealias Work = @Sendable (Turn?) -> Void

    /// The current work of a thread.
    // Unchecked because the compiler does not know the queue's lock, under which alone it is accessed.
    final class Place: @unchecked Sendable {
        fileprivate var number = 0
        fileprivate var isBusy = false
        fileprivate var urgency = BlockingPool.Urgency.ordinary
        /// The kind of the work that holds the thread, which has been replaced.
        fileprivate var stuckKind: String?
    }

    /// A piece of work on a thread.
    struct Turn: Sendable {
        fileprivate let place: Place
        fileprivate let number: Int
    }

    private let maxThreadCount: Int
    private let threadName: String
    private let startThread: BlockingPool.ThreadStart
    private let condition = Condition()
    private var waiting: WorkLanes<Work>
    /// The number of threads, including a task in place of one.
    private var threadCount = 0
    private var idleCount = 0
    private var isClosed = false
    /// The number of held threads that have been replaced, by the kind of their work.
    private var stuckKinds: [String: Int] = [:]

    init(
        maxThreadCount: Int,
        maxOrdinary: Int,
        threadName: String,
        startThread: @escaping BlockingPool.ThreadStart
    ) {
        self.maxThreadCount = maxThreadCount
        self.threadName = threadName
        self.startThread = startThread
        waiting = WorkLanes(maxOrdinary: maxOrdinary)
    }

    /// Appends work to its queue, and starts a thread if all are busy and the limit allows one more.
    func append(_ work: @escaping Work, _ urgency: BlockingPool.Urgency = .ordinary) {
        let need = condition.withLock {
            waiting.append(work, urgency)
            return threadNeed()
        }
        meet(need)
    }

    /// Lets the threads end once everything in the queue has run.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    /// The resource that a startable item needs.
    private enum ThreadNeed {
        case nothing, idleThread
        /// The thread count has been increased for it.
        case newThread
    }

    /// Called whenever one more item may start; the caller then meets the need without the lock.
    private func threadNeed() -> ThreadNeed {
        let startableCount = waiting.startableCount
        if idleCount < startableCount, threadCount < maxThreadCount {
            threadCount += 1
            return .newThread
        }
        return idleCount > 0 && startableCount > 0 ? .idleThread : .nothing
    }

    private func meet(_ need: ThreadNeed) {
        switch need {
        case .nothing: break
        // Without the lock: the woken thread would have to wait for it.
        case .idleThread: condition.signal()
        case .newThread: if !startsThread(), condition.withLock({ keepsPlaceForTask() }) { runNextAsTask() }
        }
    }

    /// Starts a thread that has been counted already; false if the system refuses it.
    private func startsThread() -> Bool {
        startThread(threadName) { self.drain() }
    }

    /// The body of a thread: runs work in order until the queue is closed and nothing is left.
    private func drain() {
        let place = Place()
        while let (work, turn) = condition.withLock({ next(at: place) }) { work(turn) }
    }

    private func next(at place: Place) -> (work: Work, turn: Turn)? {
        if let kind = place.stuckKind {
            // Another thread has replaced this one.
            stuckKinds[kind] = stuckKinds[kind].flatMap { $0 > 1 ? $0 - 1 : nil }
            return nil
        }
        if place.isBusy { waiting.finish(place.urgency) }
        place.isBusy = false
        while true {
            if let (work, urgency) = waiting.takeNext() {
                place.number += 1
                place.isBusy = true
                place.urgency = urgency
                return (work, Turn(place: place, number: place.number))
            }
            // An item that may not start yet is taken by the thread whose item it waits for.
            guard !isClosed else { return nil }
            idleCount += 1
            condition.wait()
            idleCount -= 1
        }
    }
}

// Held threads.
extension WorkQueue {
    /// The width of the queue, at least 2: one file that holds a thread does not condemn its kind.
    var maxStuckCount: Int { max(2, maxThreadCount) }

    /// The number of replaced threads that are still held.
    var stuckCount: Int { condition.withLock { stuckKinds.values.reduce(0, +) } }

    /// Returns whether work of a kind is refused because too many threads are held.
    func refuses(_ kind: () -> String) -> Bool {
        let kinds = condition.withLock { stuckKinds }
        return kinds.values.reduce(0, +) >= maxStuckCount && kinds[kind()] != nil
    }

    /// Replaces a thread that is held by a work item, unless the item has ended.
    func replace(_ turn: Turn?, _ kind: String) {
        guard let turn else { return }
        let need: ThreadNeed = condition.withLock {
            let place = turn.place
            guard place.isBusy, place.number == turn.number, place.stuckKind == nil else { return .nothing }
            place.stuckKind = kind
            stuckKinds[kind, default: 0] += 1
            waiting.finish(place.urgency)
            threadCount -= 1
            return threadNeed()
        }
        meet(need)
    }
}

// Without any thread, a task takes its place.
extension WorkQueue {
    /// Uncounts a thread that was refused, unless it is the only one and work waits.
    private func keepsPlaceForTask() -> Bool {
        guard threadCount == 1, !waiting.isEmpty else {
            threadCount -= 1
            return false
        }
        return true
    }

    /// Requests a thread again from a task that counts as one, and runs one item there if that is refused.
    private func runNextAsTask() {
        Task.detached { [self] in
            if startsThread() { return }
            let piece = condition.withLock { waiting.takeNext() }
            piece?.work(nil)
            let need: ThreadNeed? = condition.withLock {
                if let piece { waiting.finish(piece.urgency) }
                // Items that may start now do not concern a busy thread.
                return keepsPlaceForTask() ? nil : threadNeed()
            }
            if let need { meet(need) } else { runNextAsTask() }
        }
    }
}
