import CalotypeCodecs
import CalotypeCore
import CalotypeSupport

/// A pool of workers of one kind, which starts and replaces them.
// Unchecked because the compiler does not know the condition, under whose lock alone the state is accessed.
@safe final class WorkerPool: @unchecked Sendable {
    /// The thread that starts processes.
    ///
    /// It never ends, because a process ends with the thread that started it.
    static let starter = BlockingPool(width: 1, name: "spawn")

    private let configuration: CodecWorkers.Configuration
    private let kind: WorkerKind
    private let memory: WorkerMemoryLimit
    private let handshakes: BlockingPool
    private let condition = Condition()
    /// Idle workers; the last one added is used first.
    private var idle: [WorkerProcess] = []
    private var startingCount = 0
    private var counts = CodecWorkerStatistics()
    /// Failed starts and the last error.
    private var failures: (count: Int, last: SandboxError?) = (0, nil)
    private var lastSession = 0
    private var lastLocked: Locked?

    init(_ configuration: CodecWorkers.Configuration, _ kind: WorkerKind, _ memory: WorkerMemoryLimit) {
        (self.configuration, self.kind, self.memory) = (configuration, kind, memory)
        handshakes = BlockingPool(width: max(1, configuration.maxCount), name: "lock")
    }

    var statistics: CodecWorkerStatistics { condition.withLock { counts } }

    var idleProcessIDs: [Int32] { condition.withLock { idle.map(\.pid) } }

    /// The locks of the most recently started worker.
    var locked: Locked? { condition.withLock { lastLocked } }

    /// Returns a new identifier for a sequence of related jobs.
    func nextSession() -> Int {
        condition.withLock {
            lastSession += 1
            return lastSession
        }
    }

    /// Runs a job in a worker that serves no other job meanwhile.
    ///
    /// Blocks until a worker is free and the job is done.
    ///
    /// - Parameters:
    ///   - job: The job to run.
    ///   - session: The sequence that the job belongs to; the worker of its last job is preferred if it is
    ///     idle.
    ///   - maxDuration: The limit of the job, and separately of the wait for a worker.
    ///   - inputs: Returns the payloads; `areKnown` is true if the worker still has the session's input.
    ///   - frame: Returns the frames of an animation to encode.
    ///   - take: Converts the outcome, and reads all payloads of the response. If it throws, the worker is
    ///     lost.
    /// - Returns: The result of `take`.
    /// - Throws: ``JobFailure``.
    func run<Value>(
        _ job: Job,
        session: Int? = nil,
        atMost maxDuration: Duration,
        inputs: (_ areKnown: Bool) -> [Payload],
        frame: WorkerProcess.FrameProvider? = nil,
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        // All idle workers may have exited, and their replacements too.
        var triesLeft = 2 * configuration.maxCount + 1
        while true {
            let worker = try taken(for: session, within: maxDuration)
            let payloads = inputs(session != nil && worker.session == session)
            do throws(JobFailure) {
                worker.session = session
                let value = try worker.run(job, payloads, atMost: maxDuration, frame: frame, take)
                putBack(worker)
                return value
            } catch {
                lose(by: error.loss)
                triesLeft -= 1
                guard case .gone = error, triesLeft > 0 else { throw error }
            }
        }
    }

    /// Removes an idle worker that has exited; a replacement starts when it is needed.
    private func noteEnd(of worker: WorkerProcess) {
        let isIdle = condition.withLock {
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
            idle.remove(at: index)
            counts.processCount -= 1
            counts.lossCounts[.killed, default: 0] += 1
            return true
        }
        // A busy worker is reaped by its job.
        if isIdle { worker.end() }
    }

    // MARK: Waiting

    /// Returns a worker once one is free; the wait does not count as the job's time.
    private func taken(
        for session: Int?,
        within maxDuration: Duration
    ) throws(JobFailure) -> WorkerProcess {
        let failureCount = condition.withLock { failures.count }
        let begin = SuspendingClock.now
        defer { WorkStop.noteWait(SuspendingClock.now - begin) }
        var waitsUntil: SuspendingClock.Instant?
        while true {
            if let reason = WorkStop.currentReason { throw .stopped(reason) }
            let (worker, needsOne, failure) = condition.withLock {
                () -> (WorkerProcess?, Bool, SandboxError?) in
                if let worker = takeIdle(for: session) {
                    counts.jobCount += 1
                    counts.busyCount += 1
                    return (worker, false, nil)
                }
                if failures.count > failureCount { return (nil, false, failures.last) }
                let needsOne = counts.processCount + startingCount < configuration.maxCount
                if needsOne { startingCount += 1 }
                return (nil, needsOne, nil)
            }
            if let worker { return worker }
            if let failure { throw .unavailable(failure.detail) }
            if needsOne { Self.starter.enqueue { self.start() } }
            let now = SuspendingClock.now
            if waitsUntil == nil { WorkStop.grant(maxDuration) }
            let end = waitsUntil ?? now + min(maxDuration, .seconds(86_400))
            guard now < end else { throw .unavailable("all workers have been busy for \(maxDuration)") }
            waitsUntil = end
            waitForChange()
        }
    }

    /// Takes the worker of the session, else the last one without a session, else the last one.
    private func takeIdle(for session: Int?) -> WorkerProcess? {
        guard !idle.isEmpty else { return nil }
        let own = session.flatMap { session in idle.lastIndex { $0.session == session } }
        return idle.remove(at: own ?? idle.lastIndex { $0.session == nil } ?? idle.count - 1)
    }

    private func putBack(_ worker: WorkerProcess) {
        let isUsedUp =
            worker.jobCount >= max(1, configuration.maxJobCount) || worker.growth > configuration.maxGrowth
        let needsOne = condition.withLock {
            counts.busyCount -= 1
            if isUsedUp {
                counts.processCount -= 1
                counts.renewedCount += 1
            } else {
                idle.append(worker)
            }
            condition.signal()
            return reservesOne(isUsedUp)
        }
        if needsOne { Self.starter.enqueue { self.start() } }
    }

    private func lose(by loss: CodecWorkerStatistics.Loss) {
        let needsOne = condition.withLock {
            counts.busyCount -= 1
            counts.processCount -= 1
            counts.lossCounts[loss, default: 0] += 1
            return reservesOne(true)
        }
        if needsOne { Self.starter.enqueue { self.start() } }
    }

    private func reservesOne(_ isWanted: Bool) -> Bool {
        guard isWanted, counts.processCount + startingCount < configuration.maxCount else { return false }
        startingCount += 1
        return true
    }

    /// Waits for at most 10 ms, because the caller may be cancelled meanwhile.
    private func waitForChange() {
        condition.withLock {
            if idle.isEmpty { condition.wait(for: .milliseconds(10)) }
        }
    }

    // MARK: Starting

    /// Starts the first worker on the starter thread, then the others.
    ///
    /// - Parameter handler: Called once the first worker is sandboxed or has failed.
    func startFirst(_ handler: @escaping @Sendable (Result<Void, SandboxError>) -> Void) {
        condition.withLock { startingCount += configuration.maxCount }
        do throws(SandboxError) {
            let spawned = try SpawnedProcess(configuration)
            handshakes.enqueue { handler(Result { () throws(SandboxError) in try self.lockFirst(spawned) }) }
        } catch {
            condition.withLock { startingCount = 0 }
            handler(.failure(error))
        }
    }

    private func lockFirst(_ spawned: SpawnedProcess) throws(SandboxError) {
        do throws(SandboxError) {
            add(try WorkerProcess.locked(spawned, configuration, kind, memory))
        } catch {
            condition.withLock { startingCount = 0 }
            throw error
        }
        for _ in 1..<max(1, configuration.maxCount) { Self.starter.enqueue { self.start() } }
    }

    /// Starts a process; its handshake runs on another thread, so a hanging one delays no other start.
    private func start() {
        do throws(SandboxError) {
            let spawned = try SpawnedProcess(configuration)
            handshakes.enqueue { self.lock(spawned) }
        } catch {
            noteFailure(error)
        }
    }

    private func lock(_ spawned: SpawnedProcess) {
        do throws(SandboxError) {
            add(try WorkerProcess.locked(spawned, configuration, kind, memory))
        } catch {
            noteFailure(error)
        }
    }

    private func noteFailure(_ error: SandboxError) {
        condition.withLock {
            startingCount -= 1
            failures = (failures.count + 1, error)
            condition.broadcast()
        }
        configuration.startFailureHandler?(error)
    }

    private func add(_ worker: WorkerProcess) {
        worker.watch { [weak self, weak worker] in worker.map { self?.noteEnd(of: $0) } }
        condition.withLock {
            startingCount -= 1
            counts.processCount += 1
            counts.startedCount += 1
            lastLocked = worker.locked
            idle.append(worker)
            condition.signal()
        }
    }
}
