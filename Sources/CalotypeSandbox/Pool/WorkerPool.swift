import CalotypeCore
import CalotypeSupport

/// Workers that wait for jobs, and their replacement.
// Unchecked because the state is reached only under the pthread mutex, which the compiler does not know: a
// condition variable needs a pthread mutex, so `Guarded` does not serve here.
@safe final class WorkerPool: @unchecked Sendable {
    /// Starts the processes: a thread that never ends, since a process ends with the thread that has
    /// started it.
    static let starter = BlockingPool(width: 1, name: "spawn")

    private let configuration: CodecWorkers.Configuration
    private let kind: WorkerKind
    private let memory: WorkersMemory
    private let handshakes: BlockingPool
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// The last to come is the first to work.
    private var idle: [WorkerProcess] = []
    private var startingCount = 0
    private var counts = CodecWorkers.Statistics()
    /// Counts the starts that have failed, and the last failure.
    private var failures: (count: Int, last: SandboxError?) = (0, nil)
    private var lastSession = 0
    private var lastLocked: Locked?

    init(_ configuration: CodecWorkers.Configuration, _ kind: WorkerKind, _ memory: WorkersMemory) {
        (self.configuration, self.kind, self.memory) = (configuration, kind, memory)
        handshakes = BlockingPool(width: max(1, configuration.countMax), name: "lock")
        unsafe pthread_mutex_init(mutex, nil)
        // Waits end in time also where the time of day is set.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(wake, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(wake)
        unsafe mutex.deallocate()
        unsafe wake.deallocate()
    }

    var statistics: CodecWorkers.Statistics { synchronized { counts } }

    /// The processes that wait for jobs.
    var idleProcessIDs: [Int32] { synchronized { idle.map(\.pid) } }

    /// How far the last that has started is locked in.
    var locked: Locked? { synchronized { lastLocked } }

    /// A number for something of several jobs.
    func nextSession() -> Int {
        synchronized {
            lastSession += 1
            return lastSession
        }
    }

    /// Does a job in a worker of its own.
    ///
    /// Blocks until there is one, and until the job is done.
    ///
    /// - Parameters:
    ///   - job: What is to be done.
    ///   - session: What the job is a part of; the worker of the last part is taken where it waits.
    ///   - durationMax: How long the job may take, and as long again until there is a worker for it.
    ///   - inputs: What goes with the job; called with whether the worker has it already.
    ///   - frame: Gives the frames of an animation that is encoded.
    ///   - take: Makes something of the outcome, and reads all that goes with it; where it throws, the worker
    ///     is lost.
    /// - Returns: What that makes.
    /// - Throws: ``JobFailure``.
    func run<Value>(
        _ job: Job,
        session: Int? = nil,
        atMost durationMax: Duration,
        inputs: (_ areKnown: Bool) -> [Payload],
        frame: WorkerProcess.FrameGiver? = nil,
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        // All that wait may have ended, and their successors.
        var triesLeft = 2 * configuration.countMax + 1
        while true {
            let worker = try taken(for: session, within: durationMax)
            let payloads = inputs(session != nil && worker.session == session)
            do throws(JobFailure) {
                worker.session = session
                let value = try worker.run(job, payloads, atMost: durationMax, frame: frame, take)
                putBack(worker)
                return value
            } catch {
                lose(by: error.loss)
                triesLeft -= 1
                guard case .gone = error, triesLeft > 0 else { throw error }
            }
        }
    }

    /// Forgets a worker that has ended while it waited for a job; the next one is started when it is needed.
    private func noteEnd(of worker: WorkerProcess) {
        let isIdle = synchronized {
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
            idle.remove(at: index)
            counts.processCount -= 1
            counts.lossCounts[.killed, default: 0] += 1
            return true
        }
        // A busy one is its job's to reap.
        if isIdle { worker.end() }
    }

    // MARK: Waiting

    /// A worker, once there is one: what is waited for it is no part of the job's time.
    private func taken(
        for session: Int?,
        within durationMax: Duration
    ) throws(JobFailure) -> WorkerProcess {
        let failureCount = synchronized { failures.count }
        let begin = SuspendingClock.now
        defer { WorkStop.noteWait(SuspendingClock.now - begin) }
        var waitsUntil: SuspendingClock.Instant?
        while true {
            if let reason = WorkStop.currentReason { throw .stopped(reason) }
            let (worker, needsOne, failure) = synchronized { () -> (WorkerProcess?, Bool, SandboxError?) in
                if let worker = takeIdle(for: session) {
                    counts.jobCount += 1
                    counts.busyCount += 1
                    return (worker, false, nil)
                }
                if failures.count > failureCount { return (nil, false, failures.last) }
                let needsOne = counts.processCount + startingCount < configuration.countMax
                if needsOne { startingCount += 1 }
                return (nil, needsOne, nil)
            }
            if let worker { return worker }
            if let failure { throw .unavailable(failure.detail) }
            if needsOne { Self.starter.enqueue { self.start() } }
            let now = SuspendingClock.now
            if waitsUntil == nil { WorkStop.grant(durationMax) }
            let end = waitsUntil ?? now + min(durationMax, .seconds(86_400))
            guard now < end else { throw .unavailable("all workers have been busy for \(durationMax)") }
            waitsUntil = end
            waitForChange()
        }
    }

    /// A worker that has what the session is about, else the last that has nothing for another session, else
    /// the last.
    private func takeIdle(for session: Int?) -> WorkerProcess? {
        guard !idle.isEmpty else { return nil }
        let own = session.flatMap { session in idle.lastIndex { $0.session == session } }
        return idle.remove(at: own ?? idle.lastIndex { $0.session == nil } ?? idle.count - 1)
    }

    private func putBack(_ worker: WorkerProcess) {
        let isUsedUp =
            worker.jobCount >= max(1, configuration.jobCountMax) || worker.growth > configuration.growthMax
        let needsOne = synchronized {
            counts.busyCount -= 1
            if isUsedUp {
                counts.processCount -= 1
                counts.renewedCount += 1
            } else {
                idle.append(worker)
            }
            unsafe pthread_cond_signal(wake)
            return reservesOne(isUsedUp)
        }
        if needsOne { Self.starter.enqueue { self.start() } }
    }

    private func lose(by loss: CodecWorkers.Loss) {
        let needsOne = synchronized {
            counts.busyCount -= 1
            counts.processCount -= 1
            counts.lossCounts[loss, default: 0] += 1
            return reservesOne(true)
        }
        if needsOne { Self.starter.enqueue { self.start() } }
    }

    private func reservesOne(_ isWanted: Bool) -> Bool {
        guard isWanted, counts.processCount + startingCount < configuration.countMax else { return false }
        startingCount += 1
        return true
    }

    /// Waits a little: who is waited for may also be told to stop.
    private func waitForChange() {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + 10_000_000
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        if idle.isEmpty { unsafe pthread_cond_timedwait(wake, mutex, &time) }
        unsafe pthread_mutex_unlock(mutex)
    }

    private func synchronized<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: Starting

    /// Starts the first worker, on the thread for that, and has the others started.
    ///
    /// - Parameter handler: Called once the first one is locked in, or is not there.
    func startFirst(_ handler: @escaping @Sendable (Result<Void, SandboxError>) -> Void) {
        synchronized { startingCount += configuration.countMax }
        do throws(SandboxError) {
            let spawned = try Spawned(configuration)
            handshakes.enqueue { handler(Result { () throws(SandboxError) in try self.lockFirst(spawned) }) }
        } catch {
            synchronized { startingCount = 0 }
            handler(.failure(error))
        }
    }

    private func lockFirst(_ spawned: Spawned) throws(SandboxError) {
        do throws(SandboxError) {
            add(try WorkerProcess.locked(spawned, configuration, kind, memory))
        } catch {
            synchronized { startingCount = 0 }
            throw error
        }
        for _ in 1..<max(1, configuration.countMax) { Self.starter.enqueue { self.start() } }
    }

    /// Starts a process, and has it lock itself in on another thread: one that hangs delays no other start.
    private func start() {
        do throws(SandboxError) {
            let spawned = try Spawned(configuration)
            handshakes.enqueue { self.lock(spawned) }
        } catch {
            noteFailure(error)
        }
    }

    private func lock(_ spawned: Spawned) {
        do throws(SandboxError) {
            add(try WorkerProcess.locked(spawned, configuration, kind, memory))
        } catch {
            noteFailure(error)
        }
    }

    private func noteFailure(_ error: SandboxError) {
        synchronized {
            startingCount -= 1
            failures = (failures.count + 1, error)
            unsafe pthread_cond_broadcast(wake)
        }
        configuration.startFailureHandler?(error)
    }

    private func add(_ worker: WorkerProcess) {
        worker.watch { [weak self, weak worker] in worker.map { self?.noteEnd(of: $0) } }
        synchronized {
            startingCount -= 1
            counts.processCount += 1
            counts.startedCount += 1
            lastLocked = worker.locked
            idle.append(worker)
            unsafe pthread_cond_signal(wake)
        }
    }
}
