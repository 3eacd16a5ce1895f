import CSandbox
import CalotypeCore
import CalotypeSupport

/// A process that does jobs; ends with its last reference.
///
/// Whatever it says may be a lie: what it hands over is only looked at once it is sealed, and by its own
/// size.
// Unchecked because it is used by one thread at a time: whoever has taken it out of the pool.
final class WorkerProcess: @unchecked Sendable {
    /// How far it is locked in.
    let locked: Locked
    /// What it has kept from its last job, so that it needs no input for the next of these.
    var session: Int?
    private(set) var jobCount = 0

    private let pid: Int32
    private let pidfd: Descriptor
    private let link: Link
    private let stop: StopPage
    private let statm: Descriptor?
    private let limits: Limits
    /// The memory that it has, by number.
    private var pieces: [Int: SharedMemory] = [:]
    private var lastPiece = 0
    private var isOver = false
    /// What it held after its first job.
    private var residentAtFirst: Int?

    /// What it may take.
    struct Limits {
        var memoryByteCountMax: Int
        /// How long a job that is told to stop has to do so, before its worker is killed.
        var stopGrace = Duration.milliseconds(50)
    }

    /// What a job has come to, with the memory that its answer names.
    struct Outcome {
        let answer: Answer
        fileprivate let pieces: [Int: SharedMemory]

        /// The memory of a number, which nobody can change any more.
        func sealed(_ number: Int) throws(JobFailure) -> SharedMemory {
            guard let piece = pieces[number] else {
                throw .crashed("the worker answered with memory that it does not have")
            }
            guard piece.seal() else {
                throw .crashed("the worker answered with memory that it can still change")
            }
            return piece
        }
    }

    init(_ spawned: Spawned, _ locked: Locked, _ limits: Limits) {
        (pid, pidfd, link, stop) = (spawned.pid, spawned.pidfd, spawned.link, spawned.stop)
        (self.locked, self.limits) = (locked, limits)
        statm = Descriptor(unsafe open("/proc/\(spawned.pid)/statm", O_RDONLY | O_CLOEXEC))
    }

    deinit {
        if !isOver { end() }
    }

    /// Does a job.
    ///
    /// - Parameters:
    ///   - job: What is to be done.
    ///   - input: What goes with it.
    ///   - durationMax: How long it may take, by the clock and in processor time.
    /// - Returns: What came of it.
    /// - Throws: Why nothing did; then the process has ended, or is of no more use.
    func run(_ job: Job, _ input: SharedMemory?, atMost durationMax: Duration) throws(JobFailure) -> Outcome {
        jobCount += 1
        stop.tell(nil)
        var watch = JobWatch(durationMax: durationMax, processorTime: processorTime)
        try send(.job(job), with: input)
        while true {
            if link.hasMessage(within: JobWatch.interval) {
                let answer = try receive()
                if case .memory(let byteCount) = answer {
                    try give(byteCount)
                } else if case .released(let number) = answer {
                    pieces[number] = nil
                } else {
                    return try outcome(answer)
                }
            }
            try look(&watch)
        }
    }

    private func outcome(_ answer: Answer) throws(JobFailure) -> Outcome {
        defer { pieces = [:] }
        if residentAtFirst == nil { residentAtFirst = residentByteCount }
        if case .locked = answer { throw lie("answered what nobody asked") }
        return Outcome(answer: answer, pieces: pieces)
    }

    /// By how many bytes it has grown since its first job.
    var growth: Int { (residentByteCount ?? 0) - (residentAtFirst ?? 0) }

    private var processorTime: Duration? {
        let nanoseconds = calotype_sandbox_processor_time(pid)
        return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }

    private var residentByteCount: Int? {
        var shared: Int64 = 0
        guard let statm else { return nil }
        let byteCount = unsafe calotype_sandbox_resident(statm.number, &shared)
        return byteCount < 0 ? nil : Int(byteCount)
    }

    // MARK: While it works

    private func look(_ watch: inout JobWatch) throws(JobFailure) {
        guard watch.isDue() else { return }
        if let byteCount = residentByteCount, byteCount > limits.memoryByteCountMax {
            throw kill(.memoryExceeded)
        }
        guard let reason = watch.reason(processorTime: processorTime) else { return }
        guard watch.hasWaited(limits.stopGrace) else { return stop.tell(reason) }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    /// Gives it memory, unless it has as much as it may have.
    private func give(_ byteCount: Int) throws(JobFailure) {
        guard byteCount >= 0 else { throw lie("asked for memory of a negative size") }
        let held = pieces.values.reduce(0) { $0 + $1.byteCount }
        lastPiece += 1
        let isAllowed = byteCount <= limits.memoryByteCountMax - held && pieces.count < Self.pieceCountMax
        let piece = isAllowed ? SharedMemory(byteCount: byteCount) : nil
        pieces[lastPiece] = piece
        try send(.memory(lastPiece), with: piece)
    }

    private static let pieceCountMax = 16

    private func send(_ order: Order, with memory: SharedMemory?) throws(JobFailure) {
        do throws(Link.Failure) {
            try link.send(order.message, with: memory?.descriptor)
        } catch {
            throw failure(error)
        }
    }

    private func receive() throws(JobFailure) -> Answer {
        do throws(Link.Failure) {
            return try Answer(received: try link.receive())
        } catch {
            throw failure(error)
        }
    }

    // MARK: Its end

    private func failure(_ failure: Link.Failure) -> JobFailure {
        switch failure {
        case .closed: return WorkerEnding.failure(end())
        case .system(let number):
            end()
            return .unavailable(
                "the worker could not be reached: \(unsafe String(cString: strerror(number)))"
            )
        case .violation(let detail): return lie("answered what is no answer: \(detail)")
        }
    }

    private func lie(_ detail: String) -> JobFailure { kill(.crashed("the worker " + detail)) }

    private func kill(_ failure: JobFailure) -> JobFailure {
        end()
        return failure
    }

    /// Ends it, and says how it did: a signal to a process that ends already changes nothing.
    @discardableResult
    private func end() -> Int32 {
        isOver = true
        calotype_sandbox_kill(pidfd.number)
        return calotype_sandbox_reap(pidfd.number)
    }
}
