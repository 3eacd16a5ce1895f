import CSandbox
import CalotypeCore
import CalotypeSupport

/// A worker process; ends with the last reference.
///
/// The process is not trusted: its data is copied before validation, and its sizes are checked first.
// Unchecked because one thread uses it at a time: the one that has taken it out of the pool.
final class WorkerProcess: @unchecked Sendable {
    let locked: Locked
    /// The session whose input the process still has, so that the session's next job sends no input.
    var session: Int?
    private(set) var jobCount = 0

    let pid: Int32
    private let pidfd: Descriptor
    let link: MessageSocket
    let input: SpawnedProcess.Pair
    let output: Descriptor
    private let stop: StopPage
    private let usage: WorkerUsage
    let limits: Limits
    /// The memory of all workers together.
    let shared: WorkerMemoryLimit
    /// The identifier in ``shared``.
    let number: Int
    /// Reports the end of the process.
    private var ending: WorkerExitMonitor.Entry?
    /// The watchdog of the current job.
    var watchdog: JobWatchdog
    /// True if the process has responded since it received the current job.
    var hasAnswered = false
    /// True if payloads of the response were read from the pipe.
    var hasRead = false
    /// The shared memory for the next pixels.
    var room: WorkerArena?
    private var isOver = false
    /// Private memory after the first job, in bytes.
    var ownAtFirst: Int?

    /// The time between a process closing its files and its end, in milliseconds.
    private static let endGrace: Int32 = 1_000

    struct Limits {
        var maxMemoryByteCount: Int
        /// The time a job has to stop when told to, before its worker is killed.
        var stopGrace = Duration.milliseconds(50)
    }

    init(_ spawned: SpawnedProcess, _ locked: Locked, _ limits: Limits, _ shared: WorkerMemoryLimit) {
        (pid, pidfd, link, stop) = (spawned.pid, spawned.pidfd, spawned.link, spawned.stop)
        (input, output) = (spawned.input, spawned.output)
        (self.locked, self.limits, self.shared) = (locked, limits, shared)
        watchdog = JobWatchdog(maxDuration: .zero, processorTime: nil)
        usage = WorkerUsage(pid: spawned.pid)
        number = shared.add(spawned.pidfd)
        noteMemory()
    }

    /// Registers a handler that is called once the process has ended.
    func watch(_ handler: @escaping @Sendable () -> Void) {
        ending = WorkerExitMonitor.shared.add(pidfd, handler)
    }

    deinit {
        end()
    }

    /// Runs a job.
    ///
    /// - Parameters:
    ///   - job: The job to run.
    ///   - payloads: Its inputs.
    ///   - maxDuration: The limit of wall-clock and of processor time, with decoding frames but without
    ///     waiting for workers to decode them.
    ///   - frame: Returns the frame at an index, if the job encodes an animation.
    ///   - take: Converts the outcome, and reads all payloads of the response.
    /// - Returns: The result of `take`.
    /// - Throws: The failure; the process has then ended.
    func run<Value>(
        _ job: Job,
        _ payloads: [Payload],
        atMost maxDuration: Duration,
        frame: FrameProvider?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        jobCount += 1
        hasAnswered = false
        stop.tell(nil)
        watchdog = JobWatchdog(maxDuration: maxDuration, processorTime: usage.processorTime)
        return try orEnd { () throws(JobFailure) in
            let isThere = shared.begin(number) && calotype_sandbox_has_ended(pidfd.number, 0) == 0
            // Unread data belongs to an earlier job; this job only needs another worker.
            guard isThere, !hasUnread else { throw .gone }
            do throws(JobFailure) {
                try begin(.job(job, inputByteCounts: payloads.map(\.byteCount)))
            } catch {
                if case .unavailable = error { throw error }
                // The process had not read the job.
                throw .gone
            }
            return try give(payloads[...], frame, take)
        }
    }

    /// Runs a body, and terminates the process if it throws.
    func orEnd<Value>(_ body: () throws(JobFailure) -> Value) throws(JobFailure) -> Value {
        do throws(JobFailure) { return try body() } catch {
            end()
            throw error
        }
    }

    /// The growth of private memory since the first job, in bytes.
    var growth: Int { (memory?.own ?? 0) - (ownAtFirst ?? 0) }

    var memory: (all: Int, own: Int)? { usage.memory(with: room) }

    /// Records the memory of this process in the shared total.
    @discardableResult
    func noteMemory() -> Int? {
        guard let memory else { return nil }
        shared.note(number, memory.own + (room?.heldByteCount ?? 0))
        return memory.all
    }

    // MARK: While it works

    func look() throws(JobFailure) {
        guard watchdog.isDue() else { return }
        if let memory = noteMemory(), memory > limits.maxMemoryByteCount {
            throw kill(.memoryExceeded)
        }
        guard let reason = watchdog.reason(processorTime: usage.processorTime) else { return }
        guard watchdog.hasWaited(limits.stopGrace) else { return stop.tell(reason) }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    /// Terminates the process if its time is up while it waits for this program and so cannot stop by itself.
    func endIfLate() throws(JobFailure) {
        _ = watchdog.isDue()
        guard let reason = watchdog.reason(processorTime: usage.processorTime) else { return }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    // MARK: Its end

    func failure(_ failure: MessageSocket.Failure) -> JobFailure {
        switch failure {
        case .unread where !hasAnswered:
            // The unread message is the job.
            end()
            return .gone
        case .closed, .unread:
            // A process closes its files shortly before its end, or longer before it on a busy machine.
            let hasEnded = calotype_sandbox_has_ended(pidfd.number, Self.endGrace) != 0
            // The end of a connection can be seen before the kernel notes that the job was unread.
            if !hasAnswered, link.endedUnread { return kill(.gone) }
            let isCrowdedOut = shared.hasEnded(number)
            let failure = WorkerExitStatus.failure(end())
            guard case .killed = failure else { return failure }
            if isCrowdedOut { return .crowdedOut }
            // The process was alive and had closed its connection; it was killed only now.
            return hasEnded ? failure : lie("closed its connection")
        case .system(let number):
            end()
            return .unavailable(
                "the worker cannot be reached: \(unsafe String(cString: strerror(number)))"
            )
        case .violation(let detail): return lie("sent an invalid response: \(detail)")
        }
    }

    func lie(_ detail: String) -> JobFailure { kill(.crashed("the worker " + detail)) }

    func kill(_ failure: JobFailure) -> JobFailure {
        end()
        return failure
    }

    /// Terminates the process and returns its exit status; no effect if it already ended.
    @discardableResult
    func end() -> Int32 {
        guard !isOver else { return 0 }
        isOver = true
        ending = nil
        // Removed before reaping, after which the system may reuse the process ID.
        shared.remove(number)
        calotype_sandbox_kill(pidfd.number)
        return calotype_sandbox_reap(pidfd.number)
    }
}
