import CSandbox
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

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
    private let link: Link
    private let input: Spawned.Pair
    private let output: Descriptor
    private let stop: StopPage
    private let usage: WorkerUsage
    private let limits: Limits
    /// The memory of all workers.
    private let shared: WorkersMemory
    /// Tells that it has ended.
    private var ending: WorkerWatch.Entry?
    /// Of the job that it does.
    private var jobWatch: JobWatch
    /// Whether anything of its answer has come through the pipe.
    private var hasRead = false
    /// Where it makes its next pixels.
    private var room: WorkerRoom?
    private var isOver = false
    /// What it held after its first job.
    private var ownAtFirst: Int?

    /// How long a process may take from the end of its files to its own, in milliseconds.
    private static let endGrace: Int32 = 200

    /// What it may take.
    struct Limits {
        var memoryByteCountMax: Int
        /// How long a job that is told to stop has to do so, before its worker is killed.
        var stopGrace = Duration.milliseconds(50)
    }

    /// What a job has come to; what goes with the answer is read from it in its order.
    struct Outcome {
        let answer: Answer
        fileprivate let worker: WorkerProcess

        /// The next bytes that go with the answer.
        func data(byteCount: Int) throws(JobFailure) -> Data {
            try worker.read(byteCount).data
        }

        /// The pixels that go with the answer: those in its room where it tells a place in there, otherwise
        /// the next bytes.
        func pixels(byteCount: Int, at offset: Int?) throws(JobFailure) -> PixelBuffer {
            guard let offset else { return try worker.read(byteCount) }
            return try worker.leaveRoom(byteCount, at: offset)
        }
    }

    init(_ spawned: Spawned, _ locked: Locked, _ limits: Limits, _ shared: WorkersMemory) {
        (pid, pidfd, link, stop) = (spawned.pid, spawned.pidfd, spawned.link, spawned.stop)
        (input, output) = (spawned.input, spawned.output)
        (self.locked, self.limits, self.shared) = (locked, limits, shared)
        jobWatch = JobWatch(durationMax: .zero, processorTime: nil)
        usage = WorkerUsage(pid: spawned.pid)
        shared.add(pid, pidfd)
        noteMemory(isBusy: false)
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
    ///   - durationMax: How long it may take, by the clock and in processor time, without its frames.
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
        stop.tell(nil)
        jobWatch = JobWatch(durationMax: durationMax, processorTime: usage.processorTime)
        return try orEnd { () throws(JobFailure) in
            guard calotype_sandbox_has_ended(pidfd.number, 0) == 0 else { throw .gone }
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

    /// Gives the frame of an index, or throws why there is none; a ``JobFailure`` ends the worker.
    typealias FrameGiver = (_ index: Int) throws -> Image

    /// Gives it inputs, and waits for what comes of them.
    private func give<Value>(
        _ payloads: ArraySlice<Payload>,
        _ frame: FrameGiver?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        guard let next = payloads.first else { return try conclude(frame, take) }
        // Its pages are with the process until that has read them, or has ended.
        return try unsafe next.withUnsafeBytes { bytes throws(JobFailure) in
            try orEnd { () throws(JobFailure) in
                try unsafe give(bytes)
                return try give(payloads.dropFirst(), frame, take)
            }
        }
    }

    /// Tells it a job, with room for pixels where it has none.
    private func begin(_ order: Order) throws(JobFailure) {
        guard room == nil else { return try send(order) }
        room = WorkerRoom(byteCountMax: limits.memoryByteCountMax)
        try send(order, with: room?.file)
    }

    /// Takes over what it has made in its room.
    private func leaveRoom(_ byteCount: Int, at offset: Int) throws(JobFailure) -> PixelBuffer {
        guard byteCount <= limits.memoryByteCountMax else { throw kill(.memoryExceeded) }
        guard let room else { throw lie("answered with pixels in no room") }
        self.room = nil
        return try room.pixels(at: offset, byteCount: byteCount)
    }

    /// Waits for the answer, and for all that goes with it.
    private func conclude<Value>(
        _ frame: FrameGiver?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        var answer = try nextAnswer()
        while case .needsFrame(let index) = answer {
            guard let frame else { throw lie("asked for a frame of what has none") }
            answer = try give(frame, index)
        }
        if case .locked = answer { throw lie("answered what nobody asked") }
        let value = try take(Outcome(answer: answer, worker: self))
        // What is left of the input there are pages of ours, which may soon hold something else.
        guard calotype_sandbox_is_empty(input.own.number) != 0 else {
            throw lie("answered before it had read everything")
        }
        guard calotype_sandbox_is_empty(output.number) != 0 else {
            throw lie("answered with more than it told")
        }
        if hasRead { try send(.taken) }
        hasRead = false
        if ownAtFirst == nil { ownAtFirst = memory?.own }
        noteMemory(isBusy: false)
        return value
    }

    private func nextAnswer() throws(JobFailure) -> Answer {
        while !link.hasMessage(within: JobWatch.interval) { try look() }
        return try receive()
    }

    /// Gives it a frame, or says why there is none, and waits for what it says then.
    private func give(_ frame: FrameGiver, _ index: Int) throws(JobFailure) -> Answer {
        guard calotype_sandbox_is_empty(input.own.number) != 0 else {
            throw lie("asked for a frame before it had read everything")
        }
        let start = SuspendingClock.now
        let given = Result { try frame(index) }
        jobWatch.leaveOut(SuspendingClock.now - start)
        switch given {
        case .failure(let failure as JobFailure): throw kill(failure)
        case .failure(let error):
            try send(.noFrame(detail: String("\(error)".prefix(200))))
            return try nextAnswer()
        case .success(let image):
            try send(.frame(ImageHead(image)))
            return try unsafe image.pixels.withUnsafeBytes { bytes throws(JobFailure) in
                try orEnd { () throws(JobFailure) in
                    try unsafe give(bytes)
                    let answer = try nextAnswer()
                    guard calotype_sandbox_is_empty(input.own.number) != 0 else {
                        throw lie("answered before it had read everything")
                    }
                    return answer
                }
            }
        }
    }

    /// Does something that leaves the process of no more use where it fails.
    private func orEnd<Value>(_ body: () throws(JobFailure) -> Value) throws(JobFailure) -> Value {
        do throws(JobFailure) { return try body() } catch {
            end()
            throw error
        }
    }

    /// Puts the input into its pipe, until it has all of it or has answered without.
    private func give(_ bytes: UnsafeRawBufferPointer) throws(JobFailure) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe calotype_sandbox_give(input.own.number, rest.baseAddress, rest.count, 0)
            if count > 0 {
                done += Int(count)
            } else if count == Int64(-EAGAIN) {
                guard !link.hasMessage(within: 0) else { return }
                calotype_sandbox_wait_for_room(input.own.number, link.socket.number, JobWatch.interval)
            } else {
                throw failure(.system(Int32(-count)))
            }
            try look()
        }
    }

    /// The next bytes of its output, in memory of our own.
    private func read(_ byteCount: Int) throws(JobFailure) -> PixelBuffer {
        guard byteCount <= limits.memoryByteCountMax else { throw kill(.memoryExceeded) }
        hasRead = true
        return try unsafe PixelBuffer(byteCount: byteCount) { target throws(JobFailure) in
            var done = 0
            while done < target.count {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
                let count = unsafe calotype_sandbox_read(output.number, rest.baseAddress, rest.count)
                if count > 0 {
                    done += Int(count)
                } else if count == Int64(-EAGAIN) {
                    calotype_sandbox_wait(output.number, JobWatch.interval)
                } else {
                    throw failure(count == 0 ? .closed : .system(Int32(-count)))
                }
                try look()
            }
        }
    }

    /// By how many bytes it has grown since its first job, without what it shares.
    var growth: Int { (memory?.own ?? 0) - (ownAtFirst ?? 0) }

    private var memory: (all: Int, own: Int)? { usage.memory(with: room) }

    /// Counts what it holds among what all hold.
    ///
    /// - Returns: All that it holds, with what it shares.
    @discardableResult
    private func noteMemory(isBusy: Bool) -> Int? {
        guard let memory else { return nil }
        shared.note(pid, memory.own + (room?.heldByteCount ?? 0), isBusy: isBusy)
        return memory.all
    }

    // MARK: While it works

    private func look() throws(JobFailure) {
        guard jobWatch.isDue() else { return }
        if let memory = noteMemory(isBusy: true), memory > limits.memoryByteCountMax {
            throw kill(.memoryExceeded)
        }
        guard let reason = jobWatch.reason(processorTime: usage.processorTime) else { return }
        guard jobWatch.hasWaited(limits.stopGrace) else { return stop.tell(reason) }
        throw kill(reason == .timedOut ? .timedOut : .stopped(reason))
    }

    private func send(_ order: Order, with memory: Descriptor? = nil) throws(JobFailure) {
        do throws(Link.Failure) {
            try link.send(order.message, with: memory)
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
        case .closed:
            // One that ends has closed its files a moment before; one that lives has cut itself off.
            guard calotype_sandbox_has_ended(pidfd.number, Self.endGrace) != 0 else {
                return lie("closed what it answers through")
            }
            let isCrowdedOut = shared.hasEnded(pid)
            let failure = WorkerEnding.failure(end())
            if isCrowdedOut, case .killed = failure { return .crowdedOut }
            return failure
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
    func end() -> Int32 {
        guard !isOver else { return 0 }
        isOver = true
        ending = nil
        calotype_sandbox_kill(pidfd.number)
        defer { shared.remove(pid) }
        return calotype_sandbox_reap(pidfd.number)
    }
}
