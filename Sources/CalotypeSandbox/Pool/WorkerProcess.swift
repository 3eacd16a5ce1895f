import CSandbox
import CalotypeCore
import CalotypeSupport

/// A process that does jobs; ends with its last reference.
///
/// Whatever it says may be a lie: what it hands over is copied before it is looked at, and of a size that has
/// been checked.
// Unchecked because it is used by one thread at a time: whoever has taken it out of the pool.
final class WorkerProcess: @unchecked Sendable {
    /// How far it is locked in.
    let locked: Locked
    /// What it has kept from its last job, so that it needs no input for the next of these.
    var session: Int?
    private(set) var jobCount = 0

    /// Its number in the system.
    let pid: Int32
    private let pidfd: Descriptor
    let link: Link
    let input: Spawned.Pair
    let output: Descriptor
    private let stop: StopPage
    private let usage: WorkerUsage
    let limits: Limits
    /// The memory of all workers.
    let shared: WorkersMemory
    /// Its number there.
    let number: Int
    /// Tells that it has ended.
    private var ending: WorkerWatch.Entry?
    /// Of the job that it does.
    var jobWatch: JobWatch
    /// Whether it has answered anything since it was told its job.
    var hasAnswered = false
    /// Whether anything of its answer has come through the pipe.
    var hasRead = false
    /// Where it makes its next pixels.
    var room: WorkerRoom?
    private var isOver = false
    /// What it held after its first job.
    var ownAtFirst: Int?

    /// How long a process may take from the end of its files to its own, in milliseconds.
    private static let endGrace: Int32 = 1_000

    /// What it may take.
    struct Limits {
        var memoryByteCountMax: Int
        /// How long a job that is told to stop has to do so, before its worker is killed.
        var stopGrace = Duration.milliseconds(50)
    }

    init(_ spawned: Spawned, _ locked: Locked, _ limits: Limits, _ shared: WorkersMemory) {
        (pid, pidfd, link, stop) = (spawned.pid, spawned.pidfd, spawned.link, spawned.stop)
        (input, output) = (spawned.input, spawned.output)
        (self.locked, self.limits, self.shared) = (locked, limits, shared)
        jobWatch = JobWatch(durationMax: .zero, processorTime: nil)
        usage = WorkerUsage(pid: spawned.pid)
        number = shared.add(spawned.pidfd)
        noteMemory()
    }

    /// Has a handler called once it has ended.
    func watch(_ handler: @escaping @Sendable () -> Void) {
        ending = WorkerWatch.shared.add(pidfd, handler)
    }

    deinit {
        end()
    }

    /// Does a job.
    ///
    /// - Parameters:
    ///   - job: What is to be done.
    ///   - payloads: Its inputs.
    ///   - durationMax: How long it may take, by the clock and in processor time, with its frames but
    ///     without waiting for the workers that make these.
    ///   - frame: Gives the frame of an index, where the job is an animation.
    ///   - take: Makes something of what came of it, and reads all that goes with that.
    /// - Returns: What `take` makes.
    /// - Throws: Why there is nothing; then the process has ended.
    func run<Value>(
        _ job: Job,
        _ payloads: [Payload],
        atMost durationMax: Duration,
        frame: FrameGiver?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        jobCount += 1
        hasAnswered = false
        stop.tell(nil)
        jobWatch = JobWatch(durationMax: durationMax, processorTime: usage.processorTime)
        return try orEnd { () throws(JobFailure) in
            let isThere = shared.begin(number) && calotype_sandbox_has_ended(pidfd.number, 0) == 0
            // What it still says belongs to an earlier job, and costs this one nothing but another worker.
            guard isThere, !hasUnread else { throw .gone }
            do throws(JobFailure) {
                try begin(.job(job, inputByteCounts: payloads.map(\.byteCount)))
            } catch {
                if case .unavailable = error { throw error }
                // It had not read it.
                throw .gone
            }
            return try give(payloads[...], frame, take)
        }
    }

    /// Does something that leaves the process of no more use where it fails.
    func orEnd<Value>(_ body: () throws(JobFailure) -> Value) throws(JobFailure) -> Value {
        do throws(JobFailure) { return try body() } catch {
            end()
            throw error
        }
    }

    /// By how many bytes it has grown since its first job, without what it shares.
    var growth: Int { (memory?.own ?? 0) - (ownAtFirst ?? 0) }

    var memory: (all: Int, own: Int)? { usage.memory(with: room) }

    /// Counts what it holds among what all hold.
    ///
    /// - Returns: All that it holds, with what it shares.
    @discardableResult
    func noteMemory() -> Int? {
        guard let memory else { return nil }
        shared.note(number, memory.own + (room?.heldByteCount ?? 0))
        return memory.all
    }

    // MARK: While it works

    func look() throws(JobFailure) {
        guard jobWatch.isDue() else { return }
        if let memory = noteMemory(), memory > limits.memoryByteCountMax {
            throw kill(.memoryExceeded)
        }
        guard let reason = jobWatch.reason(processorTime: usage.processorTime) else { return }
        guard jobWatch.hasWaited(limits.stopGrace) else { return stop.tell(reason) }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    /// Ends it where its time is up while it waits for this program: it does nothing that it could stop.
    func endIfLate() throws(JobFailure) {
        _ = jobWatch.isDue()
        guard let reason = jobWatch.reason(processorTime: usage.processorTime) else { return }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    // MARK: Its end

    func failure(_ failure: Link.Failure) -> JobFailure {
        switch failure {
        case .unread where !hasAnswered:
            // The job is what it has not read.
            end()
            return .gone
        case .closed, .unread:
            // One that ends has closed its files a moment before, or longer where others compute.
            let hasEnded = calotype_sandbox_has_ended(pidfd.number, Self.endGrace) != 0
            let isCrowdedOut = shared.hasEnded(number)
            let failure = WorkerEnding.failure(end())
            guard case .killed = failure else { return failure }
            if isCrowdedOut { return .crowdedOut }
            // One that lived has cut itself off, and was killed only now.
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

    /// Ends it, and says how it did: a signal to a process that ends already changes nothing.
    @discardableResult
    func end() -> Int32 {
        guard !isOver else { return 0 }
        isOver = true
        ending = nil
        // Before its number in the system may be another's.
        shared.remove(number)
        calotype_sandbox_kill(pidfd.number)
        return calotype_sandbox_reap(pidfd.number)
    }
}
