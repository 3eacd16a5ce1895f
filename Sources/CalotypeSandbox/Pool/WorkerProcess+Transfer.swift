import CSandbox
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Transfer of jobs, inputs, frames and outcomes between the program and the process.
extension WorkerProcess {
    /// The result of a job; read the payloads of its response in their order.
    struct Outcome {
        let answer: Answer
        fileprivate let worker: WorkerProcess

        /// Reads the next bytes of the response.
        func data(byteCount: Int) throws(JobFailure) -> Data {
            try worker.read(byteCount).data
        }

        /// Returns the pixels of the response: from shared memory if it has an offset, else the next bytes.
        func pixels(byteCount: Int, at offset: Int?) throws(JobFailure) -> PixelBuffer {
            guard let offset else { return try worker.read(byteCount) }
            return try worker.leaveRoom(byteCount, at: offset)
        }
    }

    /// Returns the frame at an index, or throws the reason for its absence; a ``JobFailure`` ends the worker.
    typealias FrameProvider = (_ index: Int) throws -> Image

    /// Sends the remaining inputs, then reads the outcome.
    func give<Value>(
        _ payloads: ArraySlice<Payload>,
        _ frame: FrameProvider?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        guard let next = payloads.first else { return try conclude(frame, take) }
        // The pipe shares these pages until the process has read them or has ended.
        return try unsafe next.withUnsafeBytes { bytes throws(JobFailure) in
            try orEnd { () throws(JobFailure) in
                try unsafe give(bytes)
                return try give(payloads.dropFirst(), frame, take)
            }
        }
    }

    /// Sends a job, with new shared memory for pixels if the worker has none.
    func begin(_ order: Order) throws(JobFailure) {
        guard room == nil else { return try send(order) }
        room = WorkerArena(maxByteCount: limits.maxMemoryByteCount)
        try send(order, with: room?.file)
    }

    /// True if the worker has sent anything that was not read.
    var hasUnread: Bool {
        calotype_sandbox_is_empty(output.number) == 0 || calotype_sandbox_is_empty(link.socket.number) == 0
    }

    /// Takes over the pixels in shared memory.
    private func leaveRoom(_ byteCount: Int, at offset: Int) throws(JobFailure) -> PixelBuffer {
        guard byteCount <= limits.maxMemoryByteCount else { throw kill(.memoryExceeded) }
        guard let room else { throw lie("sent pixels in shared memory that it was not given") }
        self.room = nil
        return try room.pixels(at: offset, byteCount: byteCount)
    }

    /// Waits for the response and reads its payloads.
    private func conclude<Value>(
        _ frame: FrameProvider?,
        _ take: (Outcome) throws(JobFailure) -> Value
    ) throws(JobFailure) -> Value {
        var answer = try nextAnswer()
        while case .needsFrame(let index) = answer {
            guard let frame else { throw lie("requested a frame of a still image") }
            answer = try give(frame, index)
        }
        if case .locked = answer { throw lie("sent an unexpected response type") }
        let value = try take(Outcome(answer: answer, worker: self))
        // Unread input would still refer to pages of ours, whose content may soon change.
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
        while !link.hasMessage(within: JobWatchdog.interval) { try look() }
        let answer = try receive()
        hasAnswered = true
        return answer
    }

    /// Sends a frame, or the reason for its absence, and waits for the next response.
    private func give(_ frame: FrameProvider, _ index: Int) throws(JobFailure) -> Answer {
        guard calotype_sandbox_is_empty(input.own.number) != 0 else {
            throw lie("requested a frame before it had read its input")
        }
        let waited = WorkStop.waited
        let given = Result { try frame(index) }
        // Decoding the frame counts as time of this job; waiting for a worker to decode it does not.
        watchdog.leaveOut(WorkStop.waited - waited)
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

    /// Writes input to the pipe, until all is written or the worker has responded without it.
    private func give(_ bytes: UnsafeRawBufferPointer) throws(JobFailure) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe calotype_sandbox_give(input.own.number, rest.baseAddress, rest.count, 0)
            if count > 0 {
                done += Int(count)
            } else if count == Int64(-EAGAIN) {
                guard !link.hasMessage(within: 0) else { return }
                calotype_sandbox_wait_for_room(input.own.number, link.socket.number, JobWatchdog.interval)
            } else {
                throw failure(.system(Int32(-count)))
            }
            try look()
        }
    }

    /// Reads the next bytes of the output into memory of our own.
    private func read(_ byteCount: Int) throws(JobFailure) -> PixelBuffer {
        guard byteCount <= limits.maxMemoryByteCount else { throw kill(.memoryExceeded) }
        hasRead = true
        return try unsafe PixelBuffer(byteCount: byteCount) { target throws(JobFailure) in
            var done = 0
            while done < target.count {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
                let count = unsafe calotype_sandbox_read(output.number, rest.baseAddress, rest.count)
                if count > 0 {
                    done += Int(count)
                } else if count == Int64(-EAGAIN) {
                    calotype_sandbox_wait(output.number, JobWatchdog.interval)
                } else {
                    throw failure(count == 0 ? .closed : .system(Int32(-count)))
                }
                try look()
            }
        }
    }

    private func send(_ order: Order, with memory: Descriptor? = nil) throws(JobFailure) {
        do throws(MessageSocket.Failure) {
            try link.send(order, with: memory)
        } catch {
            throw failure(error)
        }
    }

    private func receive() throws(JobFailure) -> Answer {
        do throws(MessageSocket.Failure) {
            return try Answer(received: try link.receive())
        } catch {
            throw failure(error)
        }
    }
}
