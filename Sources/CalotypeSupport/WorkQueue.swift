/// A queue of closures with the threads that drain it.
///
/// The threads hold the queue; the queue ends when ``close()`` has been called and everything in it has run.
///
/// Where the system refuses a thread, work waits for the threads there are, and each further piece asks for
/// one again. Where there is no thread at all, the work runs on the cooperative pool, one piece after the
/// other and each as a task of its own that asks for a thread first: to block a little there is bad, and to
/// wait for a thread that may never come is worse. Never on the caller, which may hold a lock, or be such
/// work itself.
// Unchecked because the state is reached only under the pthread mutex, which the compiler does not know: a
// condition variable needs a pthread mutex, so `Guarded` does not serve here.
@safe final class WorkQueue: @unchecked Sendable {
    /// A piece of work is given its turn; `nil` where it has no thread of the queue.
    typealias Work = @Sendable (Turn?) -> Void

    /// What a thread does at the moment.
    // Unchecked because the compiler does not know the queue's mutex, under which alone it is reached.
    final class Place: @unchecked Sendable {
        /// Counts the pieces.
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

    private let threadCountMax: Int
    private let threadName: String
    private let startThread: BlockingPool.ThreadStart
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let wake: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: WorkLanes<Work>
    /// The places that are taken: of threads, and of a task in place of one.
    private var threadCount = 0
    private var idleCount = 0
    private var isClosed = false
    /// The kinds of the work that holds replaced threads, with how many it holds.
    private var stuckKinds: [String: Int] = [:]

    init(
        threadCountMax: Int,
        ordinaryMax: Int,
        threadName: String,
        startThread: @escaping BlockingPool.ThreadStart
    ) {
        self.threadCountMax = threadCountMax
        self.threadName = threadName
        self.startThread = startThread
        waiting = WorkLanes(ordinaryMax: ordinaryMax)
        unsafe mutex = .allocate(capacity: 1)
        unsafe wake = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(wake, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(wake)
        unsafe mutex.deallocate()
        unsafe wake.deallocate()
    }

    /// Adds work at the end of its lane, and a thread where all are busy and the limit allows one more.
    func append(_ work: @escaping Work, _ urgency: BlockingPool.Urgency = .ordinary) {
        let need = locked {
            waiting.append(work, urgency)
            return threadNeed()
        }
        meet(need)
    }

    /// Lets the threads end once everything in the queue has run.
    func close() {
        locked {
            isClosed = true
            unsafe pthread_cond_broadcast(wake)
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// What a piece that may start now needs to start.
    private enum ThreadNeed {
        case nothing, idleThread
        /// A place has been taken for it.
        case newThread
    }

    /// To be asked whenever a piece more may start, and then met without the mutex.
    private func threadNeed() -> ThreadNeed {
        let startableCount = waiting.startableCount
        if idleCount < startableCount, threadCount < threadCountMax {
            threadCount += 1
            return .newThread
        }
        return idleCount > 0 && startableCount > 0 ? .idleThread : .nothing
    }

    private func meet(_ need: ThreadNeed) {
        switch need {
        case .nothing: break
        // Without the mutex, which the thread would have to wait for as soon as it is awake.
        case .idleThread: unsafe pthread_cond_signal(wake)
        case .newThread: if !startsThread(), locked({ keepsPlaceForTask() }) { runNextAsTask() }
        }
    }

    /// Starts a thread for a place that has been taken, unless the system refuses it.
    private func startsThread() -> Bool {
        startThread(threadName) { self.drain() }
    }

    /// What a thread does: takes work in order until the queue is closed and nothing is left for it.
    private func drain() {
        let place = Place()
        while let (work, turn) = locked({ next(at: place) }) { work(turn) }
    }

    private func next(at place: Place) -> (work: Work, turn: Turn)? {
        if let kind = place.stuckKind {
            // Another thread has its place.
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
            // What may not start yet is taken by the thread whose piece it waits for.
            guard !isClosed else { return nil }
            idleCount += 1
            unsafe pthread_cond_wait(wake, mutex)
            idleCount -= 1
        }
    }
}

// Where a thread is held.
extension WorkQueue {
    /// The width of the queue, at least 2: one file that holds a thread does not stand for all of its kind.
    var stuckCountMax: Int { max(2, threadCountMax) }

    /// How many replaced threads are still held.
    var stuckCount: Int { locked { stuckKinds.values.reduce(0, +) } }

    /// Whether so many threads are held that no more work of their kinds is begun.
    func refuses(_ kind: () -> String) -> Bool {
        let kinds = locked { stuckKinds }
        return kinds.values.reduce(0, +) >= stuckCountMax && kinds[kind()] != nil
    }

    /// Gives the place of a thread to another, since it is held by a piece of work, unless that has ended.
    func replace(_ turn: Turn?, _ kind: String) {
        guard let turn else { return }
        let need: ThreadNeed = locked {
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

// Where there is no thread at all.
extension WorkQueue {
    /// Gives the place of a thread that was refused back, unless it is the only one and work waits.
    private func keepsPlaceForTask() -> Bool {
        guard threadCount == 1, !waiting.isEmpty else {
            threadCount -= 1
            return false
        }
        return true
    }

    /// Asks for a thread again from a task that has its place, and runs one piece there where none is given.
    private func runNextAsTask() {
        Task.detached { [self] in
            if startsThread() { return }
            let piece = locked { waiting.takeNext() }
            piece?.work(nil)
            let need: ThreadNeed? = locked {
                if let piece { waiting.finish(piece.urgency) }
                // What may start now that the piece has ended is no business of a busy thread.
                return keepsPlaceForTask() ? nil : threadNeed()
            }
            if let need { meet(need) } else { runNextAsTask() }
        }
    }
}
