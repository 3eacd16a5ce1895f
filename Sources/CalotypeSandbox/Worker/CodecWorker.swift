internal import CSVG
internal import CSandbox
public import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport

/// The main program of a codec worker: decodes, encodes and transforms inside a sandbox for the program that
/// started it.
public enum CodecWorker {
    /// Runs the jobs of the ``CodecWorkers`` that started this process, and exits with that program.
    ///
    /// Call it first on the main thread of the executable that ``CodecWorkers/Configuration/executable``
    /// names: no file may be open but the socket, and no other thread may run.
    ///
    /// - Parameter codecs: The codecs of the worker; include those that the program passes to
    ///   ``CodecWorkers/codecs(_:)``.
    public static func run(codecs: CodecRegistry = .standard) -> Never {
        guard isStartedByProgram, let socket = Descriptor(CALOTYPE_SANDBOX_SOCKET) else {
            let text = "error: a codec worker is started by its host program, not by hand\n"
            _ = unsafe text.withCString { unsafe write(STDERR_FILENO, $0, strlen($0)) }
            exit(2)
        }
        // Work of the program itself has priority over new jobs.
        SystemThread.beNice(niceness)
        let link = MessageSocket(socket: socket)
        let (kind, stop) = unsafe lock(link, codecs)
        unsafe WorkStop.follow(stop)
        let isForSVG = kind == .svg && !codecs.hasDecoder(for: .svg)
        var desk = JobRunner(codecs: isForSVG ? .svg : codecs, ask: { try frame($0, through: link) })
        while true {
            let message = WorkerExit.ofProcess { () throws(MessageSocket.Failure) in try link.receive() }
            guard case .job(let job, let byteCounts)? = Order(trusted: message) else { WorkerExit.end() }
            message.memory.flatMap { PixelArena($0) }?.use()
            let reply = desk.reply(to: job, received(byteCounts))
            WorkerExit.ofProcess { () throws(MessageSocket.Failure) in try send(reply, through: link) }
        }
    }

    /// Reads the inputs of a job; an error if there is not enough memory for them.
    private static func received(_ byteCounts: [Int]) -> Result<[PixelBuffer], DecodeError> {
        Result { () throws(DecodeError) in
            try byteCounts.map { byteCount throws(DecodeError) in try received(byteCount) }
        }
    }

    private static func received(_ byteCount: Int) throws(DecodeError) -> PixelBuffer {
        // Not in shared memory, which is for the result.
        guard let memory = kept.memory(byteCount) ?? PixelMemory(byteCount: byteCount) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        var done = 0
        while done < byteCount {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[done...])
            // Less than the pipe holds, so that more arrives meanwhile.
            let size = min(rest.count, 256 << 10)
            let count = unsafe calotype_sandbox_read(CALOTYPE_SANDBOX_INPUT, rest.baseAddress, size)
            guard count > 0 else { WorkerExit.end() }
            done += Int(count)
        }
        return PixelBuffer(adopting: memory)
    }

    /// Requests a frame of the animation to encode.
    ///
    /// - Throws: ``NoFrame``, or `DecodeError` if there is not enough memory for it.
    private static func frame(_ index: Int, through link: MessageSocket) throws -> Image {
        WorkerExit.ofProcess { () throws(MessageSocket.Failure) in
            try link.send(Answer.needsFrame(index).message)
        }
        let message = WorkerExit.ofProcess { () throws(MessageSocket.Failure) in try link.receive() }
        switch Order(trusted: message) {
        case .frame(let head):
            return Image(
                size: head.size,
                pixelFormat: head.pixelFormat,
                pixels: try received(head.byteCount),
                scale: head.scale,
                format: head.format,
                metadata: head.metadata
            )
        case .noFrame(let detail): throw NoFrame(description: detail)
        default: WorkerExit.end()
        }
    }

    /// Sends a response and its payloads.
    private static func send(_ reply: Reply, through link: MessageSocket) throws(MessageSocket.Failure) {
        try link.send(reply.answer.message)
        if !reply.payloads.isEmpty { try give(reply.payloads[...], link) }
    }

    /// Writes payloads and holds them until the program confirms that it has read them.
    private static func give(_ payloads: ArraySlice<Payload>, _ link: MessageSocket) throws(MessageSocket
        .Failure)
    {
        guard let next = payloads.first else {
            guard case .taken? = Order(trusted: try link.receive()) else { throw .closed }
            return
        }
        try unsafe next.withUnsafeBytes { bytes throws(MessageSocket.Failure) in
            var done = 0
            while done < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                let output = CALOTYPE_SANDBOX_OUTPUT
                let count = unsafe calotype_sandbox_give(output, rest.baseAddress, rest.count, 1)
                guard count > 0 else { throw .system(Int32(-count)) }
                done += Int(count)
            }
            try give(payloads.dropFirst(), link)
        }
    }

    private static let niceness = 10
    private static let kept = KeptMemory()

    /// True if the descriptor that the program passes is open and a socket of the expected type.
    private static var isStartedByProgram: Bool {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(CALOTYPE_SANDBOX_SOCKET, SOL_SOCKET, SO_TYPE, &kind, &size)
        return result == 0 && kind == calotype_sandbox_socket_kind()
    }

    /// Enters the sandbox as the program orders, and reports the locks in force.
    ///
    /// - Returns: The kind of this worker, and the stop flag of its jobs.
    private static func lock(
        _ link: MessageSocket,
        _ codecs: CodecRegistry
    ) -> (kind: WorkerKind, stop: UnsafeRawPointer) {
        let message = WorkerExit.ofProcess { () throws(MessageSocket.Failure) in try link.receive() }
        guard case .lock(let locking)? = Order(trusted: message), let memory = message.memory,
            let stop = unsafe StopPage.map(memory)
        else { WorkerExit.end() }
        calotype_sandbox_offer_to_end()
        WarmUp.run(codecs, for: locking.kind)
        // Fills freed memory, so that no later image can read anything that was in it.
        calotype_sandbox_fill_heap()
        PixelMemory.map(from: 1 << 20)
        var limits = unsafe calotype_sandbox_limits(
            memory: UInt64(locking.maxByteCount),
            seconds: UInt64(locking.seconds),
            // Fonts are opened when a document needs them.
            readable: locking.kind == .svg ? calotype_svg_readable() : nil
        )
        var locks = calotype_sandbox_locks()
        unsafe calotype_sandbox_lock(&limits, &locks)
        let failure = unsafe withUnsafeBytes(of: &locks.failure) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let locked = Locked(
            landlock: Int(locks.landlock),
            seccomp: locks.seccomp != 0,
            limits: locks.limits != 0,
            failure: failure
        )
        WorkerExit.ofProcess { () throws(MessageSocket.Failure) in
            try link.send(Answer.locked(locked).message)
        }
        return (locking.kind, UnsafeRawPointer(stop))
    }
}

extension Order {
    /// Returns `nil` if the program is from another build.
    init?(trusted message: MessageSocket.Message) {
        do { try self.init(message: message.bytes) } catch { return nil }
    }
}
