import CSandbox
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Transfer of jobs, inputs, frames and outcomes between the program and the process.
extension WorkerProcess {
    /// The result of a job; the payloads of its answer are read from it in their order.
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

    /// Gives the frame of an index, or throws why there is none; a ``JobFailure`` ends the worker.
    typealias FrameGiver = (_ index: Int) throws -> Image

    /// Gives it inputs, and waits for what comes of them.
    func give<Value>(
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
    func begin(_ order: Order) throws(JobFailure) {
        guard room == nil else { return try send(order) }
        room = WorkerRoom(byteCountMax: limits.memoryByteCountMax)
        try send(order, with: room?.file)
    }

    /// Whether it has said or written anything that nobody has taken.
    var hasUnread: Bool {
        calotype_sandbox_is_empty(output.number) == 0 || calotype_sandbox_is_empty(link.socket.number) == 0
    }

    /// Takes over what it has made in its room.
    private func leaveRoom(_ byteCount: Int, at offset: Int) throws(JobFailure) -> PixelBuffer {
        guard byteCount <= limits.memoryByteCountMax else { throw kill(.memoryExceeded) }
        guard let room else { throw lie("sent pixels in shared memory that it was not given") }
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
            guard let frame else { throw lie("requested a frame of a still image") }
            answer = try give(frame, index)
        }
        if case .locked = answer { throw lie("sent an unexpected response type") }
        let value = try take(Outcome(answer: answer, worker: self))
        // The rest of the input there are pages of ours, which may soon hold something else.
        guard calotype_sandbox_is_empty(input.own.number) != 0 else {
            throw lie("responded before it had read its input")
        }
        guard !hasUnread else { throw lie("sent more than it announced") }
        if hasRead { try send(.taken) }
        hasRead = false
        if ownAtFirst == nil { ownAtFirst = memory?.own }
        shared.conclude(number)
        noteMemory()
        return value
    }

    private func nextAnswer() throws(JobFailure) -> Answer {
        while !link.hasMessage(within: JobWatch.interval) { try look() }
        let answer = try receive()
        hasAnswered = true
        return answer
    }

    /// Gives it a frame, or says why there is none, and waits for what it says then.
    private func give(_ frame: FrameGiver, _ index: Int) throws(JobFailure) -> Answer {
        guard calotype_sandbox_is_empty(input.own.number) != 0 else {
            throw lie("requested a frame before it had read its input")
        }
        let waited = WorkStop.waited
        let given = Result { try frame(index) }
        // Its work counts, and the wait for a worker that does it does not.
        jobWatch.leaveOut(WorkStop.waited - waited)
        try endIfLate()
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
                        throw lie("responded before it had read its input")
                    }
                    return answer
                }
            }
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
}
